"""The report's page: how long it takes to make, how large it is, how soon it is open, and how long a step takes.

    python benchmarks/report_page.py [PATH...]     (default: the shared recordings, or else the examples)

Opening is measured from the request to the viewer's first message, a step from the key to the next frame, in Chromium
without a window; then the same for a made-up run of a thousand turns.
"""

import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from runs import paths

from context_strategies import History
from context_strategies.compare.evaluate import Choice, Market
from context_strategies.compare.report.build import page_of
from context_strategies.compare.report.gathered import Gathered
from context_strategies.compare.report.page import html_of
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import by_run
from context_strategies.compare.work import Plan, Replayed, add_run
from context_strategies.history import Kind, Message
from context_strategies.strategies import choose, strategy_classes
from context_strategies.tokens import best_counter
from context_strategies.trajectories import Call, Trajectory, read

STEPS = 50

STEP = """async () => {
  const started = performance.now();
  document.querySelector("#messages").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - started;
}"""


def made_up(turns: int) -> Trajectory:
    """A run of so many turns of one call each."""
    messages = [Message(Kind.SYSTEM, "You fix bugs."), Message(Kind.TASK, "Find the needle in src.")]
    for turn in range(turns):
        ids = (f"call_{turn}",)
        messages.append(Message(Kind.ACTION, f"Step {turn}: look on.", call_ids=ids))
        messages.append(
            Message(Kind.OBSERVATION, f"src/straw.py:{turn}: no needle\n" * 40, call_ids=ids, command="grep")
        )
    return Trajectory("made-up", "", "", "", History(messages), tuple(Call(2 + 2 * turn) for turn in range(turns)))


def page(runs: Sequence[Trajectory]) -> str:
    """The page of ``runs`` under every strategy."""
    counter, block, kept, done = best_counter(), Block(), Gathered(""), Replayed()
    choices = tuple(Choice(name, choose(name)) for name in strategy_classes())
    for run in runs:
        add_run(Plan(choices, (Market(),), "viewer"), run, counter, done)
    for rows in by_run(done.rows):
        block.add(rows)
    kept.add(done)
    return html_of(page_of({"": block}, kept, counter.name))


def opened(browser: Browser, path: Path) -> tuple[float, float]:
    """Seconds until the page is there, and milliseconds of a step back from the longest run's end, the median."""
    tab = browser.new_page()
    started = time.perf_counter()
    tab.goto(path.as_uri())
    tab.wait_for_selector("#messages .line")
    ready = time.perf_counter() - started
    tab.focus("#messages")
    tab.keyboard.press("End")
    steps = [tab.evaluate(STEP) for _ in range(STEPS)]
    tab.close()
    return ready, statistics.median(steps)


def main() -> None:
    """Print a line for the recordings and one for the made-up run."""
    recorded = [run for run in read(paths()) if isinstance(run, Trajectory) and run.calls]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, runs in ((f"{len(recorded)} recorded runs", recorded), ("a run of 1,000 turns", [made_up(1_000)])):
            started = time.perf_counter()
            text = page(runs)
            seconds = time.perf_counter() - started
            path = Path(folder) / "page.html"
            path.write_text(text, encoding="utf-8")
            ready, step = opened(browser, path)
            size = path.stat().st_size / 1e6
            print(f"{name}: made in {seconds:.1f} s, {size:.1f} MB, open in {ready:.2f} s, a step in {step:.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
