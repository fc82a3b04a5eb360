import pytest

from context_strategies import Kind, Message
from context_strategies.masks import side_by_side
from context_strategies.placeholder import Clipped, Placeholder, Tagged, check_template
from context_strategies.tokens import estimate
from conversations import output


def test_it_names_the_command_and_the_size() -> None:
    assert Placeholder()(output(7)) == (
        '[Output of "grep 7" hidden: 40 lines, 1,040 characters. Run it again if you need it.]'
    )


def test_it_falls_back_on_the_tool_and_counts_images() -> None:
    seen = Message(Kind.OBSERVATION, "x", tool="browser", images=2)
    assert Placeholder("{command}: {size}")(seen) == '"browser": 1 line, 1 character, 2 images'
    assert Placeholder("{command}")(Message(Kind.OBSERVATION, "")) == "an earlier command"


def test_a_long_command_of_many_lines_is_one_short_line() -> None:
    text = Placeholder()(Message(Kind.OBSERVATION, "out", command="cat <<'EOF'\n" + "{braces} \x85\u2028" * 50))
    assert text is not None
    assert len(text.splitlines()) == 1
    assert len(text) < 200


def test_only_observations_without_a_keep_tag_are_masked() -> None:
    hide = Placeholder(keep_tags=frozenset({"keep_output"}))
    assert hide(Message(Kind.ACTION, "text")) is None
    assert hide(output(1, tags=frozenset({"keep_output"}))) is None
    assert hide(output(1, tags=frozenset({"other"}))) is not None


def streamed(hide: Placeholder | Tagged, *messages: Message) -> list[str | None]:
    return [text for _, (text,) in side_by_side(iter(messages), hide)]


LONG = "and so on " * 40


def test_facts_that_a_later_step_may_need_stay() -> None:
    message = Message(Kind.OBSERVATION, f"src/a.py src/b.py src/b.py port 8443 {LONG}")
    short = Message(Kind.OBSERVATION, f"nothing {LONG}")
    assert streamed(Placeholder("[gone]", keep_facts=2), message, short) == [
        "[gone] [It mentions: src/b.py src/a.py]",
        "[gone]",
    ]


def test_a_fact_that_something_before_still_shows_is_not_repeated() -> None:
    action = Message(Kind.ACTION, "cat src/a.py")
    first = Message(Kind.OBSERVATION, f"src/a.py src/b.py {LONG}")
    second = Message(Kind.OBSERVATION, f"src/b.py src/c.py {LONG}")
    whole = Message(Kind.OBSERVATION, "d.py:")  # shorter than a placeholder: it stays
    third = Message(Kind.OBSERVATION, f"d.py src/e.py {LONG}")
    assert streamed(Placeholder("[gone]", keep_facts=9), action, first, second, whole, third) == [
        None,
        "[gone] [It mentions: src/b.py]",
        "[gone] [It mentions: src/c.py]",
        "[gone]",
        "[gone] [It mentions: src/e.py]",
    ]


def test_what_a_pattern_matches_stays_besides() -> None:
    message = Message(Kind.OBSERVATION, f"TICKET 4711 in src/a.py {LONG}")
    hide = Placeholder("[gone]", keep_facts=1, preserve=(r"TICKET \d+",))
    assert streamed(hide, message, message) == [
        "[gone] [It mentions: TICKET 4711 src/a.py]",
        "[gone] [It mentions: 4711]",
    ]
    assert streamed(Placeholder("[gone]", preserve=(r"TICKET \d+",)), message) == ["[gone] [It mentions: TICKET 4711]"]


def test_no_more_facts_stay_than_make_it_worth_while() -> None:
    message = Message(Kind.OBSERVATION, " ".join(f"src/file_{n}.py" for n in range(20)))
    (text,) = streamed(Placeholder("[gone]", keep_facts=99), message)
    assert text is not None
    assert "[gone] [It mentions: src/file_0.py" in text
    assert estimate(text) < message.tokens


def test_what_is_hidden_at_once_has_the_text_it_will_keep() -> None:
    tags = frozenset({"remove_output"})
    messages = [
        Message(Kind.OBSERVATION, f"src/a.py {LONG}"),
        Message(Kind.OBSERVATION, f"src/a.py src/b.py {LONG}", tags=tags),
    ]
    placeholder = Placeholder("[gone]", keep_facts=5)
    assert streamed(Tagged(placeholder, tags), *messages) == [None, streamed(placeholder, *messages)[1]]


def test_lines_of_both_ends_may_stay() -> None:
    message = Message(Kind.OBSERVATION, "\n".join("abcdefg"))
    assert Placeholder("[gone]", keep_lines=2)(message) == "[gone]\na\nb\n[...]\nf\ng"
    assert Placeholder("[gone]", keep_lines=4)(message) == "[gone]", "both ends would be all of it"


def test_the_same_conversation_gives_the_same_texts() -> None:
    messages = [output(1), output(2)]
    assert streamed(Placeholder(keep_facts=3), *messages) == streamed(Placeholder(keep_facts=3), *messages)


def test_tagged_observations_alone_are_hidden_at_once() -> None:
    hide = Tagged(Placeholder("[gone]"), frozenset({"remove_output"}))
    assert hide(output(1)) is None
    assert hide(output(1, tags=frozenset({"remove_output"}))) == "[gone]"


@pytest.mark.parametrize(
    "template", ["", "  ", "a\nb", "a\u2028b", "{what}", "{}", "{command.__class__}", "{", "{lines:d}"]
)
def test_a_template_that_would_fail_later_is_refused_now(template: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        check_template(template)


@pytest.mark.parametrize("text", ["a" * 9_000, "文件" * 3_000, "文" * 600 + "a" * 5_000 + "🧵" * 600])
@pytest.mark.parametrize("tokens", [50, 100, 700])
@pytest.mark.parametrize("images", [0, 1])
def test_a_clipped_observation_weighs_no_more_than_it_may(text: str, tokens: int, images: int) -> None:
    message = Message(Kind.OBSERVATION, text, images=images)
    clipped = Clipped(tokens)(message)
    assert clipped is not None
    assert tokens * 0.7 - 20 < estimate(clipped) <= tokens
    assert "characters cut" in clipped
    assert ("1 image left out" in clipped) == bool(images)
    assert (clipped[:4], text[:4]) == (text[:4], clipped[:4])


def test_what_is_short_enough_is_not_clipped() -> None:
    assert Clipped(1_000)(output(1)) is None
    assert Clipped(50)(Message(Kind.ACTION, "a" * 9_000)) is None
