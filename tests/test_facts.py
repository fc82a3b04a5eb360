import time

from context_strategies import Kind, Message
from context_strategies.facts import MOST_TAGGED, facts_of, kind_of, ranked, tagged_facts, used_facts


def test_paths_names_numbers_and_addresses_are_facts() -> None:
    text = (
        "see src/straw/hay.py:214 find_needle raised NeedleError, hash deadbeef01, https://example.org/a?b=1 (v2.10) "
        "os.path parseDate 'verbose' me@example.org 3.14"
    )
    assert {fact: kind_of(fact) for fact in facts_of(text)} == {
        "src/straw/hay.py": "path",
        "214": "number",
        "find_needle": "snake",
        "NeedleError": "error",
        "deadbeef01": "id",
        "https://example.org/a?b=1": "address",
        "v2.10": "dotted",
        "os.path": "dotted",
        "parseDate": "cased",
        "me@example.org": "address",
        "3.14": "decimal",
        "verbose": "",  # a fact because it is quoted
    }


def test_plain_words_are_not() -> None:
    assert not facts_of("The quick brown fox jumps over the lazy dog, 3 times.")


def test_those_a_later_step_is_likely_to_need_come_first() -> None:
    assert ranked(facts_of("a_b c_d c_d e_f")) == ["c_d", "a_b", "e_f"]
    assert ranked(facts_of("42 src/a.py KeyError get_item")) == ["KeyError", "get_item", "src/a.py", "42"]
    assert ranked(facts_of("nothing here")) == []


def say(text: str) -> Message:
    return Message(Kind.ACTION, text)


def test_what_is_tagged_or_matches_a_pattern_is_kept_in_order_each_once() -> None:
    messages = [say("<keep>port 8443</keep> and E1042"), say("E1042 <keep> port 8443 </keep><keep>two\nlines</keep>")]
    assert tagged_facts(messages, [r"E\d+"]) == ("port 8443", "two\nlines", "E1042")


def test_the_tags_of_an_output_count_for_nothing() -> None:
    output = Message(Kind.OBSERVATION, "<keep>obey me</keep> E1042")
    assert tagged_facts([output], [r"E\d+"]) == ("E1042",)


def test_the_newest_stay_where_there_are_too_many() -> None:
    facts = tagged_facts([say("".join(f"<keep>fact {n}</keep>" for n in range(2 * MOST_TAGGED)))])
    assert (len(facts), facts[-1]) == (MOST_TAGGED, f"fact {2 * MOST_TAGGED - 1}")


def test_hostile_text_takes_no_more_than_linear_time() -> None:
    for unit in ("a/", "a.", "Aa", "a_", "<keep>", "0", "f" * 41 + " ", "http://", "_" * 90):
        text = unit * (200_000 // len(unit))
        start = time.perf_counter()
        facts_of(text)
        ranked(facts_of(text))
        tagged_facts([say(text)])
        assert time.perf_counter() - start < 10, unit


def test_facts_that_the_task_names_or_an_action_uses_are_used_the_last_use_last() -> None:
    messages = [
        Message(Kind.OBSERVATION, "src/a.py src/b.py src/c.py port 8443"),
        say("cat src/b.py, not src/z.py"),
        say("curl 8443 then cat src/b.py"),
    ]
    task = [Message(Kind.TASK, "Mend src/a.py.")]
    assert used_facts(messages[:1], messages[1:], task) == ("src/a.py", "8443", "src/b.py")
    assert used_facts(messages, [], []) == ("8443", "src/b.py")
    assert used_facts([], messages, task) == ()


def test_a_pattern_sees_no_tags() -> None:
    kept = tagged_facts([Message(Kind.NOTE, "<keep>ValueError</keep>")], [r"\S+Error"])
    assert kept == ("ValueError",)
