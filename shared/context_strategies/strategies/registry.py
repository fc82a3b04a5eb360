"""From what a user writes to a strategy: names, fields, YAML files, third parties' classes."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from context_strategies.errors import ConfigError
from context_strategies.strategies.base import Settings, Strategy
from context_strategies.strategies.hybrid import Hybrid
from context_strategies.strategies.llm_summary import LLMSummary
from context_strategies.strategies.masking import Masking
from context_strategies.strategies.raw import Raw
from context_strategies.strategies.rolling_summary import RollingSummary
from context_strategies.strategies.spec import fields_of
from context_strategies.strategies.truncation import Truncation
from context_strategies.yaml_text import read_yaml

GROUP = "context_strategies.strategies"
BUILT_IN: tuple[type[Settings], ...] = (Raw, Masking, Truncation, LLMSummary, RollingSummary, Hybrid)


@cache
def strategy_classes() -> dict[str, type[Settings]]:
    """Every installed strategy's config model by name: ours, then what other packages offer under the entry point group
    ``context_strategies.strategies``. One that can't be loaded is left out; choosing it says why.
    """
    classes = {cls.model_fields["type"].default: cls for cls in BUILT_IN}
    for entry in entry_points(group=GROUP):
        try:
            classes.setdefault(entry.name, _checked(entry.load(), entry.name))
        except Exception:  # noqa: BLE001, S112 - another package's error must not break ours
            continue
    return classes


def choose(spec: str | Path | Mapping[str, Any], home: Path = Path()) -> Strategy:
    """The strategy that ``spec`` describes.

    ``spec`` is a name (``masking``), a name with fields (``masking:window=20,refresh=5``), ``module:Class``, a YAML
    file with a ``type``, or a mapping with a ``type``. A relative file is below ``home``. Raises ConfigError.
    """
    return _from_mapping(as_mapping(spec, home), f"{home / spec}: " if _is_file(spec) else "")


def as_mapping(spec: str | Path | Mapping[str, Any], home: Path = Path()) -> Mapping[str, Any]:
    """``spec``, as :func:`choose` takes it, as a mapping with a ``type``, which every scaffold's config takes.

    Holds the fields that are given, none of them checked. Raises ConfigError where it can't be read.
    """
    if _is_file(spec):
        return _in_file(home / spec)
    if isinstance(spec, Mapping):
        return spec
    text = str(spec)
    name, _, fields = text.partition(":")
    path, _, rest = fields.partition(":")
    if "." in name or (path and "=" not in path and name not in strategy_classes()):
        return {"type": f"{name}:{path}", **fields_of(rest, text)}
    return {"type": name, **fields_of(fields, text)}


def _is_file(spec: str | Path | Mapping[str, Any]) -> TypeGuard[str | Path]:
    return isinstance(spec, Path) or (isinstance(spec, str) and spec.endswith((".yaml", ".yml")))


def _in_file(path: Path) -> Mapping[str, Any]:
    content = read_yaml(path)
    if not isinstance(content, Mapping):
        message = f"{path}: must be a mapping with a type"
        raise ConfigError(message)
    return content


def _from_mapping(spec: Mapping[str, Any], place: str) -> Strategy:
    fields = dict(spec)
    name = fields.pop("type", None)
    if name is None:
        message = f"{place}a strategy needs a type; one of: {_choices()}"
        raise ConfigError(message)
    cls = _imported(str(name), place) if ":" in str(name) else strategy_classes().get(str(name))
    for entry in entry_points(group=GROUP, name=str(name)) if cls is None else ():
        return _validated(_imported(entry.value, place), fields, str(name), place)
    if cls is None:
        message = f'{place}unknown strategy "{name}"; choose one of: {_choices()}, or module:Class'
        raise ConfigError(message)
    return _validated(cls, fields, str(name), place)


def _choices() -> str:
    return ", ".join(strategy_classes())


def _imported(path: str, place: str = "") -> type[Settings]:
    module, _, name = path.partition(":")
    try:
        return _checked(getattr(import_module(module), name), path)
    except Exception as error:  # noqa: BLE001 - another module's code, which may raise anything when it is imported
        message = f'{place}strategy "{path}" can\'t be loaded: {" ".join(str(error).split())}'
        raise ConfigError(message) from None


def _checked(cls: object, name: str) -> type[Settings]:
    if not (isinstance(cls, type) and issubclass(cls, Settings)):
        message = f"{name} is not a subclass of context_strategies.Settings"
        raise TypeError(message)
    return cls


def _validated(cls: type[Settings], fields: Mapping[str, Any], name: str, place: str) -> Strategy:
    try:
        strategy: Any = cls.model_validate(dict(fields))
    except ValidationError as error:
        raise ConfigError(place + _one_line(error, cls, name)) from None
    return strategy  # type: ignore[no-any-return]


def _one_line(error: ValidationError, cls: type[Settings], name: str) -> str:
    first = error.errors()[0]
    if not first["loc"]:
        return f"strategy {name}: {' '.join(str(first['msg']).removeprefix('Value error, ').split())}"
    field = str(first["loc"][0])
    valid = [known for known in cls.model_fields if known != "type"]
    if field not in valid:
        return f'strategy {name} has no field "{field}"; valid fields: {", ".join(valid) or "none"}'
    meant = {str(item["msg"]).removeprefix("Value error, ") for item in error.errors() if item["loc"][:1] == (field,)}
    value = "" if field == "summarizer" else f"={first['input']!r}"  # which may hold a key
    # What each of several shapes would have had to be is of no help: the field's own words are.
    told = meant.pop() if len(meant) == 1 else cls.model_fields[field].description
    return f"strategy {name}: {field}{value} is not valid: {told}"
