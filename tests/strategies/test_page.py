"""The table of fields in docs/strategies.md says what the code says."""

from pathlib import Path

from context_strategies.strategies.registry import BUILT_IN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "strategies.md"


def table() -> str:
    """Return every field once, with the strategies that have it and its default there."""
    defaults: dict[tuple[str, str], dict[str, list[str]]] = {}
    for cls in BUILT_IN:
        values = cls().model_dump(mode="json")
        for name, field in cls.model_fields.items():
            if name != "type":
                default = "null" if values[name] is None else str(values[name]).replace("'", "")
                defaults.setdefault((name, field.description or ""), {}).setdefault(default, []).append(values["type"])
    lines = ["| field | default | what it does |", "|---|---|---|"]
    for (name, meaning), found in defaults.items():
        told = "; ".join(f"`{default}` {', '.join(types)}" for default, types in found.items())
        lines.append(f"| `{name}` | {told} | {meaning} |")
    return "\n".join(lines) + "\n"


def test_the_page_lists_every_field() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), table()
