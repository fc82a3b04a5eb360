"""What the demo's runs cost, by the requests that the scripted server has seen, at each model's prices."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from rich.console import Console
from rich.table import Column, Table

from context_strategies.catalogue import prices_of
from context_strategies.experiment.cells import Cell
from context_strategies.experiment.demo.matrix import MODELS, PRICED
from context_strategies.prices import Prices
from context_strategies.testing import Record

CAPTION = (
    "The raw agent in US dollars, the others as a multiple of it. By the scripted server's own records: what a request "
    "shares with an earlier one of its run counts as cached, four characters are a token, summary calls are included. "
    "The model is a script: this says what runs cost, never what they would have solved."
)


@dataclass(frozen=True, slots=True)
class Bill:
    """One scaffold under one strategy at one model's prices: its US dollars, and the raw agent's."""

    scaffold: str
    strategy: str
    model: str
    cost: float
    raw: float

    @property
    def share(self) -> float:
        """Cost as a multiple of the raw agent's."""
        return self.cost / self.raw


def bills(cells: Sequence[Cell], log: Iterable[Record]) -> Iterator[Bill]:
    """A bill for each scaffold, strategy and model of ``cells`` that ran to their end.

    A strategy that was run with the first model alone, since it sends the same with every one, is billed by that run.
    """
    requests: dict[str, list[Record]] = {}
    for record in log:
        requests.setdefault(record.conversation, []).append(record)
    ran = {(cell.scaffold, str(cell.strategy), cell.model.name): requests.get(cell.key, []) for cell in cells}
    for scaffold, strategy in dict.fromkeys((scaffold, strategy) for scaffold, strategy, _ in ran):
        for model in MODELS:
            by = model if strategy in PRICED else MODELS[0]
            own, raw = ran.get((scaffold, strategy, by)), ran.get((scaffold, "raw", by))
            if own and raw:
                prices = prices_of(model)
                yield Bill(scaffold, strategy, model, cost_of(own, prices), cost_of(raw, prices))


def cost_of(requests: Iterable[Record], prices: Prices) -> float:
    """US dollars for those of ``requests`` that were answered."""
    cost = 0.0
    for record in requests:
        if record.status == HTTPStatus.OK:
            usage = record.response["usage"]
            cached = usage["prompt_tokens_details"]["cached_tokens"]
            cost += prices.price(prices.usage(usage["prompt_tokens"], cached, usage["completion_tokens"]))
    return cost


def print_bills(console: Console, found: Sequence[Bill]) -> None:
    """A row a scaffold and strategy, a column a model; then what was dearer than the raw agent."""
    named = Column("strategy", no_wrap=True)
    table = Table("scaffold", named, *map(_heading, MODELS), caption=CAPTION, caption_justify="left")
    for column in table.columns[2:]:
        column.justify = "right"
    rows: dict[tuple[str, str], dict[str, Bill]] = {}
    for bill in found:
        rows.setdefault((bill.scaffold, bill.strategy), {})[bill.model] = bill
    for (scaffold, strategy), row in rows.items():
        cells = (_cell(row[model]) if model in row else "" for model in MODELS)
        table.add_row(
            scaffold if strategy == "raw" else "", strategy, *cells, end_section=strategy == _last(rows, scaffold)
        )
    console.print(table)
    for model in MODELS:
        dearer = [bill for bill in found if bill.model == model and bill.share > 1]
        names = ", ".join(f"{bill.scaffold} {bill.strategy} ({bill.share:.2f})" for bill in dearer)
        console.print(
            f"Dearer than the raw agent at the prices of {_short(model)}: {names or 'none'}.", highlight=False
        )


def _heading(model: str) -> str:
    rates = prices_of(model).rates(0)
    written = f", written at {rates.cache_write / rates.input:g}" if rates.cache_write > rates.input else ""
    return f"{_short(model)}\n[dim]cache read at {rates.cache_read / rates.input:g}{written}[/]"


def _cell(bill: Bill) -> str:
    if bill.strategy == "raw":
        return f"${bill.cost:.4f}"
    return f"[red]{bill.share:.2f}[/]" if bill.share > 1 else f"{bill.share:.2f}"


def _last(rows: Iterable[tuple[str, str]], scaffold: str) -> str:
    return [strategy for of, strategy in rows if of == scaffold][-1]


def _short(model: str) -> str:
    return model.rpartition("/")[2]
