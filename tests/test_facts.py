import time

from context_strategies import Kind, Message
from context_strategies.facts import MOST_TAGGED, facts_of, tagged_facts, top_facts


def test_paths_names_numbers_and_addresses_are_facts() -> None:
    text = "see src/straw/hay.py:214 find_needle raised NeedleError, hash deadbeef01, https://example.org/a?b=1 (v2.10)"
    found = list(facts_of(text))
    assert found == [
        "src/straw/hay.py",
        "214",
        "find_needle",
        "NeedleError",
        "deadbeef01",
        "https://example.org/a?b=1",
        "10",
    ]


def test_plain_words_are_not() -> None:
    assert not facts_of("The quick brown fox jumps over the lazy dog, 3 times.")


def test_the_most_mentioned_come_first() -> None:
    assert top_facts("a_b c_d c_d e_f", 2) == ["c_d", "a_b"]
    assert top_facts("nothing here", 2) == []


def say(text: str) -> Message:
    return Message(Kind.ACTION, text)


def test_what_is_tagged_or_matches_a_pattern_is_kept_in_order_each_once() -> None:
    messages = [say("<keep>port 8443</keep> and E1042"), say("E1042 <keep> port 8443 </keep><keep>two\nlines</keep>")]
    assert tagged_facts(messages, [r"E\d+"]) == ("port 8443", "two\nlines", "E1042")


def test_the_newest_stay_where_there_are_too_many() -> None:
    facts = tagged_facts([say("".join(f"<keep>fact {n}</keep>" for n in range(2 * MOST_TAGGED)))])
    assert (len(facts), facts[-1]) == (MOST_TAGGED, f"fact {2 * MOST_TAGGED - 1}")


def test_hostile_text_takes_no_more_than_linear_time() -> None:
    for unit in ("a/", "a.", "Aa", "a_", "<keep>", "0", "f" * 41 + " ", "http://", "_" * 90):
        text = unit * (200_000 // len(unit))
        start = time.perf_counter()
        facts_of(text)
        tagged_facts([say(text)])
        assert time.perf_counter() - start < 10, unit
