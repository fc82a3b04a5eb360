"""From a context back to SWE-agent's items: what stays is handed on as it is, what changes is a copy."""

from context_strategies import messages
from context_strategies.cache_marks import MARK, mark_of, marked
from context_strategies.context import Context, Keep, Mask, Summarize
from context_strategies.masks import Hide, masks_of
from swe_agent_plugin.translate import Item


class Renderer:
    """Applies the contexts of one conversation. Masked copies are made once, so that their bytes never change.

    ``marks``: the items may carry cache marks, which a copy must then carry too.
    """

    def __init__(self, *, marks: bool) -> None:
        self._marks = marks
        self._copies: dict[Hide, list[Item | None]] = {}

    def __call__(self, context: Context, items: list[Item]) -> list[Item]:
        """The items of one request; ``items`` are those that the context's history was made of."""
        orphans = context.history.orphans
        request: list[Item] = []
        for edit in context.edits:
            if isinstance(edit, Keep | Mask):
                shown = items[edit.start : edit.stop] if isinstance(edit, Keep) else self._masked(context, edit, items)
                if orphans:
                    shown = [item for index, item in enumerate(shown, edit.start) if index not in orphans]
                request += shown
                continue
            if isinstance(edit, Summarize):
                request.append(self._summary(edit.text, items[-1]))
            request += [items[index] for index in context.history.protected_in(edit.start, edit.stop)]
        return request

    def _masked(self, context: Context, edit: Mask, items: list[Item]) -> list[Item]:
        copies = self._copies.setdefault(edit.hide, [])
        masks = masks_of(context.history, edit.hide)
        for index in range(len(copies), edit.stop):
            text = masks.text(index)
            copies.append(None if text is None else replaced(items[index], text))
        stretch = slice(edit.start, edit.stop)
        pairs = zip(copies[stretch], items[stretch], strict=True)
        if self._marks:
            return [_with_mark(copy, item) if copy else item for copy, item in pairs]
        return [copy or item for copy, item in pairs]

    def _summary(self, text: str, like: Item) -> Item:
        content = [{"type": "text", "text": text}] if self._marks else text
        return {"role": "user", "content": content, "agent": like.get("agent"), "message_type": "summary"}


def replaced(item: Item, text: str) -> Item:
    """A copy of ``item`` with ``text`` for content, in a list of parts if it had one, and without a cache mark."""
    return {key: value for key, value in messages.replaced(item, text).items() if key != MARK}


def _with_mark(copy: Item, item: Item) -> Item:
    mark = mark_of(item)
    return marked(copy, mark) if mark else copy
