"""SWE-agent's history items, and when a list of them goes on from an earlier one."""

from collections.abc import Sequence
from typing import Any

from context_strategies.history import History, Kind
from context_strategies.messages import text_of
from context_strategies.trajectories.sweagent import ItemTranslator

__all__ = ["Item", "ItemTranslator", "continues"]

Item = dict[str, Any]


def continues(known: Sequence[Item], items: Sequence[Item], history: History) -> bool:
    """Whether ``items`` are ``known``, which ``history`` was made of, and perhaps more.

    SWE-agent shows the same objects again and again, so that this costs next to nothing. An earlier processor in the
    chain may have copied items, moved cache marks or shortened old observations: none of that is a new conversation.
    """
    if len(items) < len(known):
        return False
    return all(
        old is new or _identity(old, message.kind) == _identity(new, message.kind)
        for old, new, message in zip(known, items, history.messages, strict=False)
    )


def _identity(item: Item, kind: Kind) -> tuple[object, ...]:
    text = "" if kind is Kind.OBSERVATION else text_of(item.get("content"))[0]
    return item.get("role"), item.get("tool_call_ids"), item.get("tool_calls"), text
