"""What tables and files are made of: runs told apart, and everything that they were billed by named."""

import csv

from hypothesis import given
from hypothesis import strategies as st

from context_strategies.compare.evaluate import Choice, Market, evaluate
from context_strategies.compare.rows import Block
from context_strategies.compare.run_rows import RunRow, by_run, run_row
from context_strategies.compare.show import as_csv
from context_strategies.replay import weigh
from context_strategies.strategies import choose
from context_strategies.tokens import ESTIMATE
from report_pages import long_run

CHOICES = [Choice(name, choose(name)) for name in ("raw", "masking:window=1", "truncation")]
WEIGHED = weigh(long_run(4), ESTIMATE)
PREFIX, MARKED = (
    [run_row(one) for one in evaluate(WEIGHED, CHOICES, Market(cache=name))] for name in ("prefix", "marked")
)


@given(st.lists(st.tuples(st.sampled_from([PREFIX, MARKED]), st.integers(1, len(CHOICES)))))
def test_rows_fall_into_runs_even_of_one_name(picked: list[tuple[list[RunRow], int]]) -> None:
    runs = [rows[:many] for rows, many in picked]
    assert list(by_run([row for run in runs for row in run])) == runs


def test_every_cache_is_named() -> None:
    block = Block()
    for run in (PREFIX, MARKED):
        block.add(run)
    lines = list(csv.DictReader(as_csv([block]).splitlines()))
    assert {line["cache"] for line in lines} == {"marked; prefix"}
    assert [line["strategy"] for line in lines] == [choice.label for choice in CHOICES]
