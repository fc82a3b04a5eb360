"""The command line as its users meet it: tables, JSON, CSV, one clear line for what is wrong, and exit codes."""

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from context_strategies.cli import app
from context_strategies.cli.ends import warn
from context_strategies.cli.inputs import Evaluation
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.compare.work import Plan, Replayed, work
from context_strategies.strategies import choose
from context_strategies.trajectories import Source, find

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "recordings"
RUN = str(EXAMPLES / "mini-tools.traj.json")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def one_line(result: Result) -> str:
    """What was said on standard error, which must be one line."""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_replay_shows_every_strategy_in_one_table() -> None:
    result = run("replay", str(EXAMPLES))
    assert result.exit_code == 0, result.stderr
    for name in ("raw", "masking:refresh=1", "masking", "truncation", "llm_summary", "rolling_summary", "hybrid"):
        assert name in result.stdout
    assert "4 runs, 149 calls" in result.stdout
    assert "prices: assumed (cache read 0.1, write 1.25" in result.stdout
    assert "tokens: o200k (toktok)" in " ".join(result.stdout.split())
    assert "never what it would have solved" in " ".join(result.stdout.split())


def test_json_has_rows_and_runs() -> None:
    result = run("replay", str(EXAMPLES), "-s", "masking:refresh=1", "--json")
    block = json.loads(result.stdout)["blocks"][0]
    assert [row["strategy"] for row in block["strategies"]] == ["raw", "masking:refresh=1"]
    raw, masking = block["strategies"]
    assert raw["cost_against_raw"] == 1
    assert masking["prompt"] < raw["prompt"]
    assert masking["cost_against_raw"] > 1
    assert {entry["id"] for entry in block["runs"]} == {entry["id"] for entry in block["runs"] if entry["calls"]}
    assert len(block["runs"]) == 8


def test_csv_is_a_line_a_strategy() -> None:
    result = run("replay", RUN, "--csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert rows[0]["strategy"] == "raw"
    assert len(rows) == 7


def test_out_keeps_the_document_the_table_and_the_runs(tmp_path: Path) -> None:
    result = run("replay", RUN, "-s", "masking", "--out", str(tmp_path / "new"))
    assert result.exit_code == 0
    assert json.loads((tmp_path / "new" / "replay.json").read_text())["counter"] == "o200k (toktok)"
    assert (tmp_path / "new" / "replay.csv").read_text().startswith("prices,cache,strategy,runs,calls")
    (line,) = (tmp_path / "new" / "runs.jsonl").read_text().splitlines()
    assert [row["strategy"] for row in json.loads(line)["runs"]] == ["raw", "masking"]


def test_json_is_written_as_a_whole_document_would_be(tmp_path: Path) -> None:
    result = run(
        "replay", str(EXAMPLES), "-s", "masking", "--model", "a", "--model", "b", "--json", "--out", str(tmp_path)
    )
    document = json.loads(result.stdout)
    assert result.stdout == json.dumps(document) + "\n"
    assert (tmp_path / "replay.json").read_text() == json.dumps(document, indent=1) + "\n"
    assert [len(block["runs"]) for block in document["blocks"]] == [8, 8]


@pytest.mark.parametrize("command", ["replay", "tune", "profile"])
def test_two_processes_say_what_one_says(command: str) -> None:
    arguments = (command, str(EXAMPLES / "mini-tools.traj.json"), str(EXAMPLES / "mini-text.traj.json"), "--json")
    alone = run(*arguments, "--jobs", "1")
    assert alone.exit_code == 0
    assert run(*arguments, "--jobs", "2").stdout == alone.stdout


def test_wrong_means_are_one_line() -> None:
    result = run("tune", RUN, "--engine", "cluster")
    assert result.exit_code == 2
    assert "--engine cluster: choose one of: local, dask://HOST:PORT" in one_line(result)
    assert run("replay", RUN, "--jobs", "0").exit_code == 2


def test_a_block_for_each_model() -> None:
    pytest.importorskip("litellm", reason="litellm's price file is not installed")
    result = run("replay", RUN, "-s", "masking", "--model", "claude-sonnet-4-5", "--model", "gpt-5-mini", "--json")
    blocks = json.loads(result.stdout)["blocks"]
    assert [(block["model"], block["cache"]) for block in blocks] == [
        ("claude-sonnet-4-5", ["marked"]),
        ("gpt-5-mini", ["prefix"]),
    ]
    assert blocks[0]["strategies"][1]["host_marks"] >= blocks[0]["strategies"][1]["cost_against_raw"]
    assert blocks[1]["strategies"][1]["host_marks"] is None


def test_recorded_costs_stand_beside_predicted_ones() -> None:
    result = run("replay", str(EXAMPLES), "-s", "raw", "--recorded", "--json")
    assert all(check["cost"] > 0 for check in json.loads(result.stdout)["recorded"])
    assert "Recorded cost" in run("replay", RUN, "-s", "raw", "--recorded").stdout


def test_an_unknown_model_is_said_and_its_assumption_named() -> None:
    result = run("replay", RUN, "-s", "raw", "--model", "gpt-5-minj")
    assert result.exit_code == 0
    assert "gpt-5-minj: no known prices; using assumed" in one_line(result)


def test_own_prices(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("mine: {input_cost_per_token: 1.0, output_cost_per_token: 0.0}\n")
    result = run("replay", RUN, "-s", "raw", "--model", "mine", "--prices", str(prices), "--json")
    row = json.loads(result.stdout)["blocks"][0]["strategies"][0]
    assert row["cost"] == pytest.approx(row["prompt"])


def test_strategies_is_the_menu() -> None:
    menu = json.loads(run("strategies", "--json").stdout)
    assert [entry["type"] for entry in menu] == [
        "raw", "masking", "truncation", "llm_summary", "rolling_summary", "hybrid",
    ]  # fmt: skip
    fields = {field["name"]: field["default"] for field in menu[1]["fields"]}
    assert fields["window"] == 10
    assert fields["refresh"] == "break_even"
    assert all(field["description"] for entry in menu for field in entry["fields"])
    assert "break_even" in run("strategies").stdout


def test_tune_gives_a_frontier_and_the_lines_for_it() -> None:
    document = json.loads(run("tune", RUN, "--json").stdout)
    frontier = [point for point in document["points"] if point["frontier"]]
    costs, facts = [point["cost"] for point in frontier], [point["available"] for point in frontier]
    assert costs == sorted(costs)
    assert facts == sorted(facts)
    assert set(document["config"]) == {point["strategy"] for point in frontier}
    assert document["config"][document["advice"]["strategy"]] == document["advice"]["config"]
    shown_text = run("tune", RUN).stdout
    assert document["advice"]["line"] in " ".join(shown_text.split())
    assert "[condenser]" in shown_text
    assert '"kind": "MaskingCondenser"' in shown_text


def test_profile_tells_growth_shares_break_even_and_advice() -> None:
    result = run("profile", str(EXAMPLES))
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    for part in (
        "4 runs", "The longest: mini-text, 40 calls, linear growth:", "scratchpad", "observations",
        "pays from call", "Take masking:window=1,refresh=1,keep_facts=40:", "[condenser]", '"kind": "MaskingCondenser"',
    ):  # fmt: skip
        assert part in text
    assert "The longest" not in run("profile", RUN).stdout


def test_profile_as_json_agrees_with_replay() -> None:
    document = json.loads(run("profile", RUN, "-s", "rolling_summary", "-s", "masking", "--json").stdout)
    raw, rolling, _ = json.loads(run("replay", RUN, "-s", "rolling_summary", "-s", "masking", "--json").stdout)[
        "blocks"
    ][0]["strategies"]
    (profile,) = document["runs"]
    assert [at["step"] for at in profile["steps"]] == [5, 10, 15, 20, 30, 39]
    assert profile["peak"] == raw["peak"]
    assert profile["steps"][-1]["cost"] == pytest.approx(raw["cost"])
    assert sum(profile["read"].values()) == raw["prompt"]
    assert document["strategies"][0]["cost_against_raw"] == rolling["cost_against_raw"]
    assert profile["break_even"]["rolling_summary"] is None
    assert profile["growth"]["shape"] == "linear"


def test_profile_fails_on_a_shape_or_a_size() -> None:
    assert run("profile", RUN, "-s", "raw", "--fail-on", "accelerating", "--fail-over", "50000").exit_code == 0
    result = run("profile", RUN, "-s", "raw", "--fail-on", "linear")
    assert result.exit_code == 1
    assert one_line(result).startswith("mini-tools: linear growth, ")
    result = run("profile", RUN, "-s", "raw", "--fail-over", "10000", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["failures"] == [one_line(result)]
    result = run("profile", RUN, "--fail-on", "cubic")
    assert result.exit_code == 2
    assert "--fail-on cubic: choose one of: linear, accelerating, exponential" in one_line(result)


def test_profile_goes_on_after_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "good.traj.json").write_bytes(Path(RUN).read_bytes())
    result = run("profile", str(tmp_path), "-s", "raw")
    assert result.exit_code == 1
    assert "broken.json" in one_line(result)
    assert "39 calls" in result.stdout


def test_estimate_needs_no_run() -> None:
    result = run("estimate", "--steps", "30", "--output", "200..1500", "--cache", "none")
    assert result.exit_code == 0, result.stderr
    assert "30 calls, base 2,500, actions of 145 tokens" in result.stdout
    assert "pays from" in result.stdout
    document = json.loads(run("estimate", "--steps", "30", "--output", "200..1500", "--json").stdout)
    raw, paper, *_ = document["strategies"]
    assert raw["closed"] == raw["prompt"]
    assert paper["closed"] == paper["prompt"] < raw["prompt"]
    assert document["sizes"]["outputs"][0] == 200
    assert document["sizes"]["outputs"][-1] == 1500


def test_estimate_at_a_models_prices() -> None:
    pytest.importorskip("litellm", reason="litellm's price file is not installed")
    arguments = ("estimate", "--steps", "50", "-s", "masking:refresh=1", "--model")
    marked = json.loads(run(*arguments, "claude-sonnet-4-5", "--json").stdout)
    assert marked["cache"] == "marked"
    assert marked["strategies"][1]["cost_against_raw"] > 1


def test_estimate_says_what_is_no_size() -> None:
    result = run("estimate", "--steps", "30", "--output", "large")
    assert result.exit_code == 2
    assert "--output large: give tokens, as 575, 200..1500 or 100,200,300" in one_line(result)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("maskin", 'unknown strategy "maskin"; choose one of: raw, masking, truncation, llm_summary'),
        ("masking:windw=3", 'strategy masking has no field "windw"; valid fields:'),
        ("masking:window=wide", "strategy masking: window='wide' is not valid"),
        ("masking:refresh=often", "refresh='often' is not valid: When older observations are hidden"),
        ("no_such_module:Thing", 'strategy "no_such_module:Thing" can\'t be loaded: No module named'),
        ("no_such_file.yaml", "no_such_file.yaml: can't be read: No such file"),
    ],
)
def test_a_wrong_strategy_is_one_line_and_exit_code_two(spec: str, said: str) -> None:
    result = run("replay", RUN, "-s", spec)
    assert result.exit_code == 2
    assert said in one_line(result)


def test_a_strategy_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("type: masking\nwindow: 2\n")
    assert run("replay", RUN, "-s", str(path)).exit_code == 0
    path.write_text("type: masking\nwidow: 2\n")
    result = run("replay", RUN, "-s", str(path))
    assert result.exit_code == 2
    assert f'{path}: strategy masking has no field "widow"' in one_line(result)


def test_what_is_said_is_one_line_whatever_a_recording_holds(tmp_path: Path) -> None:
    odd = tmp_path / "a\x1b[31m\nb\u2028.json"
    odd.write_text("{")
    (tmp_path / "good.traj.json").write_text(Path(RUN).read_text().replace("mini-tools", "x\\u001b[31m\\ny"))
    result = run("profile", str(tmp_path), "-s", "raw", "--fail-on", "linear")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 2
    assert "\x1b" not in result.stderr
    assert "b\\u2028.json: no JSON" in result.stderr


def test_what_is_warned_of_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    warn("\ud800 \r\nb")
    assert capsys.readouterr().err == "\\ud800 \\r\\nb\n"


def test_runs_of_one_name_are_two_runs() -> None:
    (source,) = find([Path(RUN)])
    assert isinstance(source, Source)
    rows = work(Plan((Choice("raw", choose("raw")), Choice("masking", choose("masking"))), (Market(),)), source).rows
    dearer = [replace(row, cost=3 * row.cost) for row in rows]
    done = Evaluation()
    done.add(Replayed([*rows, *dearer]))
    raw, _ = done.blocks[""].rows()
    assert (raw.runs, raw.cost_against_raw) == (2, 1.0)
    assert raw.cost == pytest.approx(4 * rows[0].cost)


def test_a_missing_path() -> None:
    result = run("replay", "/no/such/place")
    assert result.exit_code == 2
    assert "/no/such/place: no such file or folder" in one_line(result)


def test_an_empty_folder(tmp_path: Path) -> None:
    result = run("replay", str(tmp_path))
    assert result.exit_code == 2
    assert "nothing to replay" in result.stderr


def test_a_wrong_cache_model() -> None:
    result = run("replay", RUN, "--cache", "big")
    assert result.exit_code == 2
    assert "--cache big: choose one of: auto, prefix, marked, none" in one_line(result)


@pytest.mark.parametrize("content", [b'{"trajectory": [', b"\0\0\0\0", b"", b'{"a": 1}', b"[" * 100_000, b"\xff\xfe{}"])
def test_a_broken_file_is_one_line_and_the_rest_goes_on(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.json").write_bytes(content)
    (tmp_path / "good.traj.json").write_bytes(Path(RUN).read_bytes())
    result = run("replay", str(tmp_path), "-s", "raw")
    assert result.exit_code == 1
    assert "broken.json" in one_line(result)
    assert "1 run, 39 calls" in result.stdout


def test_a_recording_of_a_hundred_megabytes(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "t"}]
    for turn in range(50):
        messages.append({"role": "assistant", "content": f"```bash\ncat {turn}\n```"})
        messages.append({"role": "user", "content": "<output>\n" + "line of output\n" * 140_000})
    path = tmp_path / "huge.traj.json"
    path.write_text(
        json.dumps({"info": {"exit_status": "x"}, "messages": messages, "trajectory_format": "mini-swe-agent-1"})
    )
    assert path.stat().st_size > 100_000_000
    result = run("replay", str(path), "-s", "masking", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["blocks"][0]["strategies"][1]["runs"] == 1


def test_the_command_starts_without_loading_what_it_does_not_need() -> None:
    code = (
        "import sys; from context_strategies import cli; "
        "heavy = {'pydantic', 'litellm', 'numpy', 'yaml', 'jinja2', 'toktok', 'orjson'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_export_loads_nothing_that_replays_need(tmp_path: Path) -> None:
    code = (
        "import sys; from context_strategies.cli import app; "
        f"app(['export', {RUN!r}, '--out', {str(tmp_path)!r}], standalone_mode=False); "
        "heavy = {'pebble', 'numpy', 'scipy', 'toktok'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert (tmp_path / "mini-tools.atif.json").is_file()
