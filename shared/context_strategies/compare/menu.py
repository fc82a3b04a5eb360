"""The strategies with their fields, defaults and what each field does."""

import inspect
from typing import Any

from rich.console import Console
from rich.table import Table

from context_strategies.strategies import Settings, strategy_classes


def as_json() -> list[dict[str, Any]]:
    """Each strategy with what it means and its fields: name, default, description."""
    return [
        {
            "type": name,
            "meaning": inspect.cleandoc(cls.__doc__ or ""),
            "fields": [
                {"name": field, "default": default, "description": description}
                for field, default, description in _fields(cls)
            ],
        }
        for name, cls in strategy_classes().items()
    ]


def print_menu(console: Console) -> None:
    """One table a strategy."""
    for entry in as_json():
        table = Table(title=f"[bold]{entry['type']}[/bold]: {entry['meaning']}", title_justify="left", expand=True)
        table.add_column("field", no_wrap=True)
        table.add_column("default", no_wrap=True, max_width=24)
        table.add_column("what it does", ratio=1)
        for field in entry["fields"]:
            table.add_row(field["name"], str(field["default"]), field["description"])
        console.print(table if entry["fields"] else table.title)
        console.print()


def _fields(cls: type[Settings]) -> list[tuple[str, Any, str]]:
    """A strategy's own fields first, then those it shares."""
    own = [name for name in cls.model_fields if name in cls.__annotations__]
    shared = [name for name in cls.model_fields if name not in own]
    dump = cls().model_dump(mode="json")
    return [(name, dump[name], cls.model_fields[name].description or "") for name in (*own, *shared) if name != "type"]
