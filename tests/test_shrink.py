"""A session whose context the model has refused shows less, and remembers it."""

from context_strategies import History, Kind, Message, Session, choose


def talk(turns: int) -> list[Message]:
    messages = [Message(Kind.SYSTEM, "You are an agent."), Message(Kind.TASK, "Do it.")]
    for turn in range(turns):
        messages.append(Message(Kind.ACTION, f"step {turn}", call_ids=(f"c{turn}",)))
        messages.append(Message(Kind.OBSERVATION, f"line {turn}\n" * 400, call_ids=(f"c{turn}",)))
    return messages


def test_each_refusal_hides_about_half_of_what_was_shown() -> None:
    session = Session(choose("raw"))
    session.feed(talk(16))
    whole = session.context().tokens
    assert session.shrink()
    half = session.context().tokens
    assert half <= whole // 2
    assert session.shrink()
    assert session.context().tokens <= half // 2


def test_nothing_left_to_hide_is_said() -> None:
    session = Session(choose("raw"))
    session.feed(talk(0))
    assert not session.shrink()
    assert session.context().tokens == History(talk(0)).tokens()


def test_what_a_refusal_has_hidden_stays_hidden() -> None:
    session = Session(choose("raw"))
    session.feed(talk(8))
    session.shrink()
    hidden = session.context().hidden
    session.feed(talk(9)[-2:])
    assert session.context().hidden == hidden
    again = Session(choose("raw"))
    again.feed(talk(8))
    again.shrink()
    again.feed(talk(9)[-2:])
    assert list(again.context()) == list(session.context())
