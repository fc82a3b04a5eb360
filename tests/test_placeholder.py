import pytest

from context_strategies import Kind, Message
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


def test_the_most_mentioned_facts_may_stay() -> None:
    message = Message(Kind.OBSERVATION, "src/a.py src/b.py src/b.py port 8443\n")
    assert Placeholder("[gone]", keep_facts=2)(message) == "[gone] [It mentions: src/b.py, src/a.py]"
    assert Placeholder("[gone]", keep_facts=2)(Message(Kind.OBSERVATION, "ok")) == "[gone]"


def test_lines_of_both_ends_may_stay() -> None:
    message = Message(Kind.OBSERVATION, "\n".join("abcdefg"))
    assert Placeholder("[gone]", keep_lines=2)(message) == "[gone]\na\nb\n[...]\nf\ng"
    assert Placeholder("[gone]", keep_lines=4)(message) == "[gone]", "both ends would be all of it"


def test_it_is_a_function_of_the_message_alone() -> None:
    assert Placeholder(keep_facts=3)(output(1)) == Placeholder(keep_facts=3)(output(1))


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
