"""Contexts of every strategy, applied stretch by stretch, are what the context says message by message."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from context_strategies.context import Context, Drop, Keep, Mask, Summarize, build
from context_strategies.history import History
from context_strategies.placeholder import Placeholder
from swe_agent_plugin.apply import Renderer, replaced
from swe_agent_plugin.translate import Item, ItemTranslator
from sweagent_items import called, start

Cuts = list[tuple[int, str]]


def expected(context: Context, items: list[Item]) -> list[Any]:
    return [
        part.text
        if part.place is None
        else items[part.place]
        if part.text is None
        else replaced(items[part.place], part.text)
        for part in context
    ]


def edits(cuts: Cuts, length: int) -> Any:
    start_of, made = 0, []
    for width, kind in cuts:
        stop = min(start_of + width, length)
        edit = {"keep": Keep, "drop": Drop}.get(kind)
        if edit:
            made.append(edit(start_of, stop))
        else:
            made.append(Mask(start_of, stop, Placeholder()) if kind == "mask" else Summarize(start_of, stop, "Short."))
        start_of = stop
    return [*made, Keep(start_of, length)]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(["keep", "drop", "mask", "sum"])), max_size=8),
    st.sets(st.integers(0, 9)),
    st.integers(-1, 25),
)
def test_rendering_and_marked_parts(cuts: Cuts, unanswered: set[int], settled: int) -> None:
    turns = [called(n)[:1] if n in unanswered else called(n) for n in range(10)]
    items = start() + [entry for turn in turns for entry in turn]
    translate = ItemTranslator()
    history = History(translate(entry, place) for place, entry in enumerate(items))
    context = build(history, edits(cuts, len(items)))
    rendered = Renderer(marks=False)(context, items)
    assert [entry["content"] if entry["message_type"] == "summary" else entry for entry in rendered] == expected(
        context, items
    )
    marked = Context(context.history, context.length, context.edits, marks=(settled,) if settled >= 0 else ())
    before = [place for place, part in enumerate(context) if part.place is not None and part.place <= settled]
    assert marked.marked_parts == before[-1:]
