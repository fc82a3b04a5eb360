import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.history import Kind, Message
from context_strategies.summarizers import Extractive, SummarizerError, SummaryRequest, keep_facts_verbatim, resolve
from context_strategies.summarizers.findings import files_of, findings_of
from context_strategies.tokens import estimate

TEXT = st.text(st.characters(exclude_categories=[]), max_size=300) | st.text("- #\né", max_size=300)


def turn(command: str, output: str, thought: str = "Go on.") -> list[Message]:
    return [
        Message(Kind.ACTION, f"{thought}\nbash({command})", call_ids=("c",)),
        Message(Kind.OBSERVATION, output, call_ids=("c",), tool="bash", command=command),
    ]


def request(*turns: list[Message], previous: str = "", first: int = 1, limit: int = 1_000) -> SummaryRequest:
    messages = tuple(message for each in turns for message in each)
    return SummaryRequest("Fix it.", previous, messages, first, first + len(turns) - 1, limit=limit)


def section(text: str, heading: str) -> list[str]:
    return text.partition(f"\n\n## {heading}\n")[2].partition("\n\n")[0].splitlines()


def test_a_digest_says_what_was_done_and_met() -> None:
    text = Extractive()(
        request(
            turn("cat src/core.py", "def add(a, b):\n    return a - b\n"),
            turn("sed -i 's/a - b/a + b/' src/core.py", ""),
            turn("pytest -q", "E   ValueError: bad\nFAILED tests/test_core.py::test_add\n1 failed, 3 passed in 0.12s"),
        )
    ).text
    assert text.startswith("Digest of turns 1 to 3,")
    assert section(text, "Last test outcome") == ["- turn 3, pytest -q: 1 failed, 3 passed in 0.12s"]
    assert section(text, "Files changed") == ["- src/core.py"]
    assert section(text, "Files read") == ["- src/core.py"]
    assert section(text, "Errors seen") == ["- E ValueError: bad", "- FAILED tests/test_core.py::test_add"]
    assert section(text, "Commands run") == [
        "- cat src/core.py",
        "- sed -i 's/a - b/a + b/' src/core.py",
        "- pytest -q",
    ]
    assert section(text, "Last steps")[-1] == "- turn 3: Go on. bash(pytest -q)"


def test_its_own_digest_is_merged_into_the_next() -> None:
    first = Extractive()(request(turn("cat a.py", ""), turn("pytest", "2 failed in 1s"))).text
    both = Extractive()(request(turn("cat b.py", ""), turn("pytest", "2 passed in 1s"), previous=first, first=3)).text
    assert both.startswith("Digest of turns 1 to 4,")
    assert section(both, "Files read") == ["- a.py", "- b.py"]
    assert section(both, "Commands run") == ["- cat a.py", "- cat b.py", "- pytest"]
    assert section(both, "Last test outcome") == ["- turn 4, pytest: 2 passed in 1s"]
    assert len(section(both, "Last steps")) == 2
    assert both.count("\n## ") == len(set(both.split("\n## "))) - 1


def test_a_models_summary_is_kept_as_a_section() -> None:
    model = "## Task\nFix it.\n\n## Done\n- found the bug in a.py"
    first = Extractive()(request(turn("cat b.py", ""), previous=model)).text
    second = Extractive()(request(turn("cat c.py", ""), previous=first, first=2)).text
    assert model in first
    assert model in second
    assert second.count("## Earlier summary") == 1


def test_facts_are_kept_verbatim_also_from_the_last_time() -> None:
    asked = SummaryRequest("", "", tuple(turn("ls", "")), 1, 1, facts=("/srv/app/settings.py", "E1042"), limit=500)
    first = keep_facts_verbatim(Extractive()(asked).text, ["0x7f"])
    second = Extractive()(request(turn("ls", ""), previous=first, first=2)).text
    assert set(section(second, "Facts to keep verbatim")) == {"- /srv/app/settings.py", "- E1042", "- 0x7f"}


def test_failed_replies_are_left_out() -> None:
    failed = [
        Message(Kind.ACTION, "no command", failed=True),
        Message(Kind.OBSERVATION, "ValueError: no action", failed=True),
    ]
    text = Extractive()(request(failed, turn("ls", ""))).text
    assert "ValueError" not in text
    assert section(text, "Last steps") == ["- turn 2: Go on. bash(ls)"]


def test_a_hundred_condensations_stay_below_the_limit() -> None:
    previous, sizes = "", []
    for number in range(100):
        turns = [
            turn(f"cat src/file_{number}_{part}.py", f"KeyError: 'k{number}{part}'\n" * 50, "why " * 100)
            for part in range(5)
        ]
        previous = Extractive()(request(*turns, previous=previous, first=5 * number + 1, limit=800)).text
        sizes.append(estimate(previous))
    assert max(sizes) < 800
    assert previous.startswith("Digest of turns 1 to 500,")
    assert section(previous, "Files read")[-1] == "- src/file_99_4.py"
    assert section(previous, "Commands run")[-1] == "- cat src/file_99_4.py"


@given(st.lists(st.tuples(TEXT, TEXT), max_size=5), TEXT, st.lists(TEXT, max_size=3), st.integers(0, 2_000))
def test_bounded_and_the_same_every_time(
    turns: list[tuple[str, str]], previous: str, facts: list[str], limit: int
) -> None:
    messages = tuple(message for command, output in turns for message in turn(command, output))
    asked = SummaryRequest("", previous, messages, 1, len(turns), facts=tuple(facts), limit=limit)
    try:
        text = Extractive()(asked).text
    except SummarizerError:
        assert 0 < limit < 50
        return
    assert estimate(text) < (limit or 1_501)
    assert text == Extractive()(asked).text


def test_no_room_is_an_error_not_an_overrun() -> None:
    with pytest.raises(SummarizerError, match="too few"):
        Extractive()(request(turn("ls", ""), limit=20))


@pytest.mark.parametrize(
    "text",
    ["Error" * 800_000, "E  " * 1_000_000, "1 " * 2_000_000, "=" * 4_000_000, "\n" * 4_000_000, "a/" * 2_000_000],
)
def test_hostile_output_takes_linear_time(text: str) -> None:
    started = time.process_time()
    Extractive()(request(turn(text[:2_000], text), previous=text, limit=1_000))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("command", "read", "changed"),
    [
        ("cat -n pkg/core.py | head -20", ["pkg/core.py"], []),
        ("sed -n '1,40p' pkg/core.py", ["pkg/core.py"], []),
        ("sed -i.bak 's/x/y/' pkg/core.py", [], ["pkg/core.py"]),
        ("cat <<'EOF' > new.py", [], ["new.py"]),
        ("python -m pytest -q 2>&1 >/dev/null", [], []),
        ("file_editor str_replace /w/a.py import os.path", [], ["/w/a.py"]),
        ("file_editor view /w/a.py", ["/w/a.py"], []),
        ("grep -rn foo pkg/", [], []),
        ("git add -A && git commit -m 'v1.0'", [], []),
    ],
)
def test_files_of_commands(command: str, read: list[str], changed: list[str]) -> None:
    assert files_of(command) == (read, changed)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("..F\n1 failed, 2 passed in 0.05s", "1 failed, 2 passed in 0.05s"),
        ("Ran 5 tests in 0.001s\n\nFAILED (failures=2)", "Ran 5 tests in 0.001s: FAILED (failures=2)"),
        ("Ran 5 tests in 0.001s\n\nOK\n", "Ran 5 tests in 0.001s: OK"),
        ('{"returncode": 1, "output": "x\\n=== 3 passed in 1.2s ===\\n"}', "3 passed in 1.2s"),
        ("test result: ok. 7 passed; 0 failed", "test result: ok. 7 passed; 0 failed"),
        ("the tests should be passed", ""),
    ],
)
def test_outcomes_of_test_runs(text: str, outcome: str) -> None:
    assert findings_of(text)[1] == outcome


def test_errors_are_lines_that_report_one_not_code_that_raises_one() -> None:
    text = "    raise ValueError('x')\n12  except KeyError:\nTraceback\npkg.MyError: boom\nfatal: no repository\n"
    assert findings_of(text)[0] == ["pkg.MyError: boom", "fatal: no repository"]


def test_names_resolve() -> None:
    assert resolve("extractive").name == resolve("host").name == "extractive"
    assert resolve("gpt-4.1-mini").name == "gpt-4.1-mini"
    assert resolve({"model": "m", "timeout": 3}).name == "m"


@pytest.mark.parametrize(
    ("setting", "key"),
    [({"model": "m", "tmeout": 3}, "tmeout"), ({}, "model"), ({"model": "m", "retries": -1}, "retries")],
)
def test_a_wrong_setting_names_the_key_and_the_valid_ones(setting: dict[str, object], key: str) -> None:
    with pytest.raises(ValueError, match=rf"summarizer\.{key}: .*valid keys: model, api_base"):
        resolve(setting)
