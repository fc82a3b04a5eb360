from context_strategies import History, Session, Terms, choose
from context_strategies.terms import terms_for
from conversations import conversation


def test_everything_is_shown_as_it_is() -> None:
    session = Session(choose("raw"))
    session.feed(conversation(50))
    context = session.context()
    assert [part.place for part in context] == list(range(102))
    assert {part.text for part in context} == {None}
    assert (context.tokens, context.hidden) == (History(conversation(50)).tokens(), 0)


def test_it_has_no_limit_whatever_the_model() -> None:
    strategy = choose("raw")
    assert terms_for(strategy, Terms().prices).limit == 0
