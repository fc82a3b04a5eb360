"""Names, fields, files and third parties' classes: what is chosen, and what is said when nothing fits."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from context_strategies import ConfigError, Session, choose, strategy_classes
from context_strategies.strategies import Masking
from context_strategies.strategies.registry import BUILT_IN, as_mapping
from conversations import conversation

# All that another package needs to bring a strategy.
THIRD_PARTY = '''
from typing import Literal

from pydantic import PositiveInt, model_validator

from context_strategies import Context, History, Keep, Settings, State, build


class Newest(Settings):
    """The task and the newest turns."""

    type: Literal["newest"] = "newest"
    turns: PositiveInt = 2

    def render(self, state: State, history: History) -> Context:
        first = max(history.turns - self.turns + 1, 1)
        return build(history, [Keep(0, history.start_of(1)), Keep(history.start_of(first), len(history))])


class Picky(Newest):
    @model_validator(mode="after")
    def _check(self):
        raise ValueError("turns and mood do not agree")


def not_a_class():
    pass
'''
NAMES = "raw, masking, truncation, llm_summary, rolling_summary, hybrid"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package that offers strategies, one of which can't be loaded."""
    (tmp_path / "newest_strategy.py").write_text(THIRD_PARTY, encoding="utf-8")
    (tmp_path / "explodes.py").write_text("raise RuntimeError('no\\nluck')", encoding="utf-8")
    info = tmp_path / "newest_strategy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: newest-strategy\nVersion: 1.0\n", encoding="utf-8")
    entries = "newest = newest_strategy:Newest\nbroken = explodes:Broken\nmasking = newest_strategy:Newest\n"
    (info / "entry_points.txt").write_text(f"[context_strategies.strategies]\n{entries}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    strategy_classes.cache_clear()
    yield tmp_path
    strategy_classes.cache_clear()
    for module in ("newest_strategy", "explodes"):
        sys.modules.pop(module, None)


def error(spec: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        choose(spec)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_every_built_in_strategy_is_there_by_name() -> None:
    assert ", ".join(strategy_classes())[: len(NAMES)] == NAMES
    for cls in BUILT_IN:
        name = cls.model_fields["type"].default
        assert isinstance(choose(name), cls)
        assert isinstance(choose({"type": name}), cls)


def test_every_field_says_what_it_does() -> None:
    for cls in strategy_classes().values():
        assert cls.__doc__
        missing = [name for name, field in cls.model_fields.items() if name != "type" and not field.description]
        assert missing == []


def test_fields_follow_the_name() -> None:
    strategy: Any = choose("masking:window=20,refresh={min_tokens: 500},keep_tags=[a, b],max_tokens=null")
    assert (strategy.window, strategy.refresh.min_tokens) == (20, 500)
    assert (strategy.keep_tags, strategy.max_tokens) == (("a", "b"), None)


def test_a_summarizer_is_a_name_or_its_fields() -> None:
    strategy: Any = choose("llm_summary:summarizer={model: gpt-5-mini, timeout: 5}")
    assert (strategy.summarizer.model, strategy.summarizer.timeout) == ("gpt-5-mini", 5)
    named: Any = choose("llm_summary:summarizer=extractive")
    assert named.summarizer == "extractive"


def test_a_yaml_file_holds_a_type_and_fields(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("type: hybrid\nwindow: 3\n", encoding="utf-8")
    for spec in (path, str(path)):
        strategy: Any = choose(spec)
        assert (strategy.type, strategy.window) == ("hybrid", 3)


def test_a_file_is_looked_for_where_it_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("type: masking\nwindow: 3\n", encoding="utf-8")
    assert choose("mine.yaml", tmp_path) == choose("masking:window=3")
    with pytest.raises(ConfigError, match=f"{tmp_path}/none.yaml: can't be read"):
        choose("none.yaml", tmp_path)


def test_whichever_way_it_is_written_it_is_the_same_mapping(tmp_path: Path) -> None:
    given = {"type": "masking", "window": 3, "refresh": {"min_tokens": 5}}
    (tmp_path / "mine.yaml").write_text("{type: masking, window: 3, refresh: {min_tokens: 5}}", encoding="utf-8")
    for spec in ("masking:window=3,refresh={min_tokens: 5}", tmp_path / "mine.yaml", given):
        assert as_mapping(spec) == given
    assert as_mapping("mine.yaml", tmp_path) == given
    assert as_mapping("raw") == {"type": "raw"}
    assert as_mapping("my.module:Mine:window=3") == {"type": "my.module:Mine", "window": 3}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- masking", "must be a mapping with a type"),
        ("window: 3", f"a strategy needs a type; one of: {NAMES}"),
        ("{type: masking, window: [", "not valid YAML"),
        ("type: maskin", f'unknown strategy "maskin"; choose one of: {NAMES}, or module:Class'),
        ("\ud800", "can't be read"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    message = error(path)
    assert message.startswith(f"{path}: ")
    assert said in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert error(tmp_path / "none.yaml") == f"{tmp_path / 'none.yaml'}: can't be read: No such file or directory"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("maskin", f'unknown strategy "maskin"; choose one of: {NAMES}, or module:Class'),
        ("maskin:window=3", 'unknown strategy "maskin"'),
        ("", 'unknown strategy ""'),
        ({}, f"a strategy needs a type; one of: {NAMES}"),
        ("masking:windows=3", 'strategy masking has no field "windows"; valid fields: max_tokens, cache, window'),
        ("raw:window=3", 'strategy raw has no field "window"; valid fields: none'),
        ("masking:window=ten", "strategy masking: window='ten' is not valid: Input should be a valid integer"),
        ("masking:window=-1", "window=-1 is not valid: Input should be greater than or equal to 0"),
        ("masking:refresh=sometimes", "or break_even: when hiding pays"),
        ("masking:20", 'strategy "masking:20": "20" is not field=value'),
        ("masking:window=[1", "the value of window is not valid YAML: [1"),
        ("masking:placeholder={x}", "placeholder={'x': None} is not valid"),
        ({"type": "masking", "placeholder": "[{what}]"}, "unknown field {what}; valid fields: characters, command"),
        ({"type": "masking", "placeholder": "a\nb"}, "a placeholder is one line of text"),
        ({"type": "masking", "placeholder": "{lines:d}"}, "Unknown format code 'd'"),
        ({"type": "hybrid", "preserve": ["("]}, "not a regular expression"),
        ("llm_summary:at_fraction=1.5", "less than or equal to 1"),
        ("no_such_module:Class", "strategy \"no_such_module:Class\" can't be loaded: No module named 'no_such_module'"),
        ("json:dumps", "json:dumps is not a subclass of context_strategies.Settings"),
        ("json:nothing", "has no attribute 'nothing'"),
    ],
)
def test_a_wrong_choice_is_answered_with_the_valid_ones(spec: Any, said: str) -> None:
    assert said in error(spec)


def test_another_package_brings_a_strategy_by_entry_point(package: Path) -> None:
    session = Session(choose("newest:turns=1"))
    session.feed(conversation(4))
    assert [part.place for part in session.context()] == [0, 1, 8, 9]
    assert "newest" in error("nobody")


def test_or_as_module_and_class(package: Path) -> None:
    for spec in ("newest_strategy:Newest:turns=3", {"type": "newest_strategy:Newest", "turns": 3}):
        strategy: Any = choose(spec)
        assert strategy.turns == 3
    assert 'strategy newest_strategy:Newest has no field "turn"' in error("newest_strategy:Newest:turn=3")


def test_no_package_takes_a_built_in_name(package: Path) -> None:
    assert isinstance(choose("masking"), Masking)


def test_choosing_a_strategy_that_cannot_be_loaded_says_why(package: Path) -> None:
    assert "broken" not in strategy_classes()
    assert error("broken") == 'strategy "explodes:Broken" can\'t be loaded: no luck'
    assert "is not a subclass" in error("newest_strategy:not_a_class")


def test_what_a_class_says_of_its_fields_together_is_passed_on(package: Path) -> None:
    assert error("newest_strategy:Picky") == "strategy newest_strategy:Picky: turns and mood do not agree"


@pytest.mark.parametrize(("written", "meant"), [("on", "on"), ("off", "off"), ("auto", "auto"), ('"off"', "off")])
def test_on_and_off_may_be_written_as_yaml_has_them(tmp_path: Path, written: str, meant: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"type: masking\ncache: {written}\n", encoding="utf-8")
    for spec in (path, f"masking:cache={written}"):
        strategy: Any = choose(spec)
        assert strategy.cache == meant


def test_a_summarizer_has_a_name() -> None:
    with pytest.raises(ConfigError, match="strategy hybrid: summarizer is not valid: Who writes the summary"):
        choose({"type": "hybrid", "summarizer": " "})
