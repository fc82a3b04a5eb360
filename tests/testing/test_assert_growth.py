"""The check that users put into their own tests."""

import json
from pathlib import Path

import pytest

from context_strategies.growth import Shape
from context_strategies.testing.growth import assert_growth


def recorded(path: Path, outputs: list[int]) -> Path:
    """A mini-swe-agent recording with outputs of so many lines."""
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "t"}]
    for step, lines in enumerate(outputs):
        messages.append({"role": "assistant", "content": f"```bash\ncat {step}\n```"})
        messages.append({"role": "user", "content": "<output>\n" + "a line of output\n" * lines})
    messages.append({"role": "assistant", "content": "```bash\necho done\n```"})
    document = {"info": {"exit_status": "x"}, "messages": messages, "trajectory_format": "mini-swe-agent-1"}
    path.write_text(json.dumps(document))
    return path


def test_a_run_within_its_limits(tmp_path: Path) -> None:
    (growth,) = assert_growth(recorded(tmp_path / "run.traj.json", [50] * 12), max_tokens=10_000)
    assert growth.shape is Shape.LINEAR


def test_a_run_that_grows_too_fast(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run.traj.json", [2**step for step in range(11)])
    with pytest.raises(AssertionError, match=r"run\.traj\.json: exponential growth, [\d,]+ tokens a step"):
        assert_growth(run)
    assert_growth(run, at_most="exponential")


def test_a_run_that_grows_too_large_and_a_strategy_that_prevents_it(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run.traj.json", [200] * 12)
    with pytest.raises(AssertionError, match=r"largest request of 1\d,\d+ tokens, over 4,000"):
        assert_growth(run, max_tokens=4_000)
    assert_growth(run, max_tokens=4_000, strategy="masking:window=1,refresh=1")


def test_nothing_recorded_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no recording in this folder"):
        assert_growth(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(AssertionError, match=r"broken\.json"):
        assert_growth(tmp_path)


def test_a_recording_without_a_call_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "run.traj.json"
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "t"}]
    path.write_text(json.dumps({"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1"}))
    with pytest.raises(AssertionError, match=r"run\.traj\.json: no call of a model in it"):
        assert_growth(path)


def test_an_unknown_shape(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'cubic' is not a valid Shape"):
        assert_growth(tmp_path, at_most="cubic")


def test_what_cannot_be_read_and_what_grows_too_fast_are_told_together(tmp_path: Path) -> None:
    recorded(tmp_path / "run.traj.json", [2**step for step in range(11)])
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(AssertionError) as raised:
        assert_growth(tmp_path)
    assert [line.partition(": ")[0].rpartition("/")[2] for line in str(raised.value).splitlines()] == [
        "broken.json",
        "run.traj.json",
    ]
