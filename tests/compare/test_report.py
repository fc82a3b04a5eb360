"""The page is one file that holds every text as data, the same for the same runs; its documents tell every request."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from typer.testing import CliRunner

from context_strategies.cli import app
from context_strategies.compare.charts import Chart, Series
from context_strategies.compare.comparing import compare
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.compare.measured import named
from context_strategies.compare.outcomes import Outcome, arm
from context_strategies.compare.recorded import Recorded
from context_strategies.compare.report.gathered import Gathered, Viewer
from context_strategies.compare.report.page import html_of
from context_strategies.compare.report.places import expanded, places
from context_strategies.compare.report.runs import LONGEST, document
from context_strategies.compare.report.tables import MOST, comparison_tables, recorded_table
from context_strategies.compare.work import Plan, Replayed, add_run
from context_strategies.context import Context
from context_strategies.errors import ConfigError
from context_strategies.measure import Measure
from context_strategies.replay import weigh
from context_strategies.session import Session
from context_strategies.summarizers import Extractive
from context_strategies.terms import terms_for
from context_strategies.tokens import ESTIMATE
from context_strategies.trajectories import Refusal, Source, Trajectory, load
from generators import CASES, Case
from report_pages import CHOICES, EXAMPLES, HOSTILE, hostile_run, long_run, page, trajectory

CHART = Chart("odd", "Costs <b>", "</script><!--", "bars", "", "", (Series("<i>", (), (1.0,), names=("</script>",)),))


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(b64decode(text)))


def runs_of(text: str) -> list[Any]:
    return [unpacked(found) for found in re.findall(r'<script type="text/plain" class="run">(.*?)</script>', text)]


def requests(told: dict[str, Any], strategy: int) -> Iterator[list[str]]:
    """The texts of every request, read from a document the way the page's script does."""
    protected = {told["kinds"].index(kind) for kind in ("system", "task", "demo")}
    one = told["strategies"][strategy]
    for call, flat in enumerate(one["edits"]):
        places: list[int] = []
        start = 0
        for operation, stop, argument in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            places += [argument] if operation == 2 else []
            for index in range(start, stop):
                kind, _, text, _, _, unsent = told["messages"][index]
                if 0 <= unsent <= call:
                    continue
                if operation == 1:
                    text = one["masks"][argument].get(index, text)
                if operation < 2 or kind in protected:
                    places.append(text)
            start = stop
        yield [told["texts"][place] for place in places]


def shown(context: Context) -> list[str]:
    return [part.text if part.text is not None else context.history[part.place or 0].text for part in context]


@given(CASES)
def test_a_document_tells_every_request_and_its_size(case: Case) -> None:
    run = trajectory([message for turn in case.turns for message in turn])
    weighed = weigh(run, ESTIMATE)
    told, _ = document(weighed, [Choice("it", case.strategy)], Market())
    prompts = told["strategies"][0]["prompt"]
    session = Session(case.strategy, terms_for(case.strategy, Market().prices(run)), Extractive())
    measure = Measure(session.history, weighed.sizes, ESTIMATE.count)
    for texts, prompt, call in zip(requests(told, 0), prompts, run.calls, strict=True):
        session.feed(run.history.messages[len(session.history) : call.upto])
        context = session.context()
        assert texts == shown(context)
        assert prompt == measure.tokens(context)


def test_what_calls_cost_is_what_the_run_costs() -> None:
    weighed = weigh(long_run(30), ESTIMATE)
    whole, results = document(weighed, CHOICES, Market())
    for result, told in zip(results, whole["strategies"], strict=True):
        assert sum(told["cost"]) == pytest.approx(result.replay.cost, rel=1e-3)
        assert sum(told["cached"]) == result.replay.cached


def test_a_long_text_is_cut_and_the_cut_told() -> None:
    told, _ = document(weigh(hostile_run(), ESTIMATE), [], Market())
    place = next(place for place, text in enumerate(told["texts"]) if text.startswith("xxx"))
    assert len(told["texts"][place]) == LONGEST
    assert told["cuts"] == {place: 1_000_000 - LONGEST}
    assert told["sizes"][place] > LONGEST


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    outs = [tmp_path / "one.html", tmp_path / "new folder" / "other.html"]
    for out in outs:
        done = CliRunner().invoke(app, ["report", str(EXAMPLES), "-s", "masking", "--out", str(out)])
        assert done.exit_code == 0, done.stderr
        assert done.stdout.startswith(f"{out}: 4 runs in the viewer")
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_foreign_text_stands_nowhere_as_markup() -> None:
    text = html_of(replace(page([hostile_run(), long_run(3)]), charts=[CHART]))
    assert text.count("<script") == len(re.findall(r"<script( type=\"(text/plain|application/json)\"[^<>]*)?>", text))
    assert text.count("<script") == text.count("</script>") == 2 + 1 + 1 + 2
    for hostile in HOSTILE[:4]:
        assert hostile not in text
    assert not re.search(r"<img|onerror=|<!--|\son\w+=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert html.escape(HOSTILE[1]) in text


def test_the_policy_lets_the_pages_own_script_run_and_nothing_load() -> None:
    for charts in ([], [CHART]):
        text = html_of(replace(page([long_run(3)]), charts=charts))
        policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])  # type: ignore[index]  # it is there
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe-eval" not in policy
        assert "http" not in policy
        assert ("unsafe-inline" in policy) == bool(charts)
        assert ('id="plotly"' in text) == bool(charts)


def test_the_scripts_make_no_markup_of_text() -> None:
    import context_strategies.compare.report as package

    sources = "".join(path.read_text() for path in Path(package.__file__).parent.glob("*.js"))
    assert "textContent" in sources
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "</script"):
        assert way not in sources


def test_what_does_not_fit_is_left_out_and_named() -> None:
    runs = [long_run(3, "small"), long_run(400, "large"), long_run(4, "other")]
    text = html_of(page(runs, largest=6_000))
    assert len(runs_of(text)) == 2
    assert re.search(r"Not in the viewer.*<bdi>large</bdi>\.", text)
    assert "small</bdi>" in text


def test_runs_of_one_name_have_keys_of_their_own() -> None:
    shown = page([long_run(3, "twice"), long_run(4, "twice"), long_run(3, "twice~2")])
    assert [entry["key"] for entry, _ in shown.viewer.runs] == ["twice", "twice~2", "twice~2~2"]
    (table,) = shown.details
    assert [len(row) for row in table.rows] == [len(table.columns)] * 3


def test_a_list_that_is_cut_says_so() -> None:
    check = Recorded("a", "run", "gpt-5", condensed=False, cost=1.0, by_usage=None, predicted=None)
    assert len(recorded_table([check] * MOST, "words").notes) == 1
    assert recorded_table([check] * (MOST + 3), "words").notes[-1] == "3 more are not listed."


def test_figures_tell_of_runs_that_did_not_fit() -> None:
    done = Replayed()
    for run in (long_run(3, "short"), long_run(40, "long")):
        add_run(Plan(CHOICES, (Market(),), "viewer"), run, ESTIMATE, done)
    kept = Gathered("", Viewer(0))
    kept.add(done)
    assert not kept.viewer.runs
    assert kept.longest == "long"
    assert sum(kept.sent.values()) == sum(row.prompt for row in kept.rows if row.strategy == "raw")
    assert kept.prompts["raw"][-1] == max(row.peak for row in done.rows)


def test_a_page_without_a_viewer_makes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("context_strategies.compare.work.document", None)
    out = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["report", str(EXAMPLES), "-s", "raw", "--largest", "0", "--out", str(out)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{out}: 0 runs in the viewer")


def test_what_ends_its_process_is_refused_and_the_page_has_the_others(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(EXAMPLES, runs)
    deadly = (EXAMPLES / "mini-text.traj.json").read_text().replace('"content": "', '"content": "DIE ')
    (runs / "deadly.traj.json").write_text(deadly)
    code = "from context_strategies.cli import main; main()"
    command = [sys.executable, "-c", code, "report", str(runs), "-s", "fatal:Fatal", "-j", "2", "--out", "page.html"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 1
    assert "deadly.traj.json: the process that read it was ended by SIGKILL" in done.stderr
    assert done.stdout.startswith("page.html: 4 runs in the viewer")
    assert "ended by SIGKILL" in (tmp_path / "page.html").read_text()


def test_two_labels_are_compared(tmp_path: Path) -> None:
    both = [f"{label}={EXAMPLES / f'mini-{label}.traj.json'}" for label in ("text", "tools")]
    done = CliRunner().invoke(app, ["report", *both, "-s", "masking", "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "page.html").read_text()
    assert "Measured runs side by side" in text
    assert places([str(EXAMPLES)]).comparison is None


def test_labelled_recordings_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(source: Source) -> Iterator[Trajectory | Refusal]:
        asked.append(source.path.name)
        return load(source)

    monkeypatch.setattr("context_strategies.compare.outcomes_folder.load", counted)
    names = ["mini-text.traj.json", "mini-tools.traj.json"]
    found = places([f"{name}={EXAMPLES / name}" for name in names])
    assert asked == [path.name for path in found.recordings] == names


def test_reports_beside_labelled_runs_are_no_runs(tmp_path: Path) -> None:
    for label in ("text", "tools"):
        (tmp_path / label).mkdir()
        shutil.copy(EXAMPLES / f"mini-{label}.traj.json", tmp_path / label)
        report = {"resolved_ids": [f"mini-{label}"], "unresolved_ids": [], "total_instances": 1}
        (tmp_path / label / "report.json").write_text(json.dumps(report))
    arguments = ["report", *(f"{label}={tmp_path / label}" for label in ("text", "tools")), "-s", "raw"]
    arguments += ["--out", str(tmp_path / "page.html")]
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "100.0%" in (tmp_path / "page.html").read_text()
    (tmp_path / "text" / "odd.json").write_text("{}")
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert done.stderr.count("odd.json") == 1


def test_an_experiments_folder_is_its_labels(tmp_path: Path) -> None:
    for strategy in ("masking", "raw"):
        cell = tmp_path / "mini" / strategy / "model" / "task-1"
        cell.mkdir(parents=True)
        (cell / "cell.json").write_text("{}")
    assert [place.label for place in expanded(named(str(tmp_path)))] == ["mini/masking/model", "mini/raw/model"]
    with pytest.raises(ConfigError, match="nowhere: no such file or folder"):
        places(["label=nowhere"])


def test_a_comparison_is_two_tables_and_what_weakens_it() -> None:
    def outcomes(cost: float) -> list[Outcome]:
        return [Outcome(f"task-{n}", solved=n % 2 == 0, cost=cost + n / 100, turns=10 + n) for n in range(12)]

    comparison = compare([arm("raw", outcomes(1.0)), arm("<masking>", outcomes(0.5))])
    labels, pairs = comparison_tables(comparison)
    assert [row[0].text for row in labels.rows] == ["raw", "<masking>"]
    assert len(pairs.rows) == 3
    assert any(cell.mark == "significant" for row in pairs.rows for cell in row)


def test_wrong_input_is_one_line(tmp_path: Path) -> None:
    none = CliRunner().invoke(app, ["report", str(tmp_path / "nothing")])
    assert (none.exit_code, none.stderr.count("\n")) == (2, 1)
    assert "no such file or folder" in none.stderr
    no_place = CliRunner().invoke(app, ["report", str(EXAMPLES), "--out", str(EXAMPLES)])
    assert no_place.exit_code == 2
    assert "can't be written" in no_place.stderr


def test_what_can_not_be_read_is_said_and_shown(tmp_path: Path) -> None:
    (tmp_path / "odd<b>.json").write_text("[1")
    out = tmp_path / "page.html"
    run = str(EXAMPLES / "mini-text.traj.json")
    done = CliRunner().invoke(app, ["report", run, str(tmp_path / "odd<b>.json"), "-s", "raw", "--out", str(out)])
    assert done.exit_code == 1
    assert "Not read (1)" in out.read_text()
    assert "odd&lt;b&gt;.json" in out.read_text()
