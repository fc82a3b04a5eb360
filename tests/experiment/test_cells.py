"""Which cells a plan has, and what they are called."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_strategies.errors import ConfigError
from context_strategies.experiment.cells import chosen, name_of
from context_strategies.experiment.plan import Instance
from experiment_files import Make


def test_every_combination_is_a_cell(make: Make) -> None:
    files = make(
        {"one": "ok", "two": "ok"},
        strategies=["raw", "masking:window=5,refresh=1"],
        models=["openai/gpt-5-mini", "openai/gpt-4.1-mini"],
    )
    assert len(files.cells) == 2 * 2 * 2
    last = files.cells[-1]
    assert last.name == "mini/masking-window-5-refresh-1/openai-gpt-4.1-mini/two"
    assert last.folder == files.path.parent / "runs" / last.name
    assert len({cell.key for cell in files.cells}) == 8
    assert {len(cell.key) for cell in files.cells} == {12}
    assert [cell.key for cell in files.cells] == [cell.key for cell in files.cells]
    assert last.fields == {"type": "masking", "window": 5, "refresh": 1}
    assert [cell.is_raw for cell in files.cells[:2]] == [True, False]


def test_each_id_of_a_selection_is_a_cell(make: Make) -> None:
    instances = [{"id": "some", "subset": "lite", "ids": ["a__b-1", "c__d-2"]}, {"id": "all", "subset": "lite"}]
    cells = make(instances=instances).cells
    assert [cell.instance.id for cell in cells] == ["a__b-1", "c__d-2", "all"]
    assert re.match(cells[0].instance.filter, "a__b-1")
    assert not re.match(cells[0].instance.filter, "a__b-11")


def test_two_cells_of_one_name_are_an_error(make: Make) -> None:
    with pytest.raises(ConfigError, match="two cells are called mini/masking-window-5/"):
        _ = make(strategies=["masking:window=5", {"type": "masking", "window": 5}]).cells


def test_cells_are_chosen_by_name(make: Make) -> None:
    cells = make({"one": "ok", "two": "ok"}).cells
    assert chosen(cells, None) == (cells, [])
    assert chosen(cells, [cells[1].name] * 2) == ([cells[1]], [cells[0]])
    with pytest.raises(ConfigError, match="no cell is called nothing; --list"):
        chosen(cells, ["nothing"])


def test_the_task_may_name_its_cell(make: Make) -> None:
    (cell,) = make({"one": "ok {cell}"}).cells
    assert cell.task == f"ok {cell.key}"


def test_settings_change_what_is_done(make: Make) -> None:
    before = make().cells[0].setting
    assert make().cells[0].setting == before
    assert make(cell_budget=1).cells[0].setting != before
    assert make(timeout=9).cells[0].setting == before


def test_a_strategys_file_lies_beside_the_experiments_and_its_content_is_a_setting(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    mine = tmp_path / "mine.yaml"
    mine.write_text("type: masking\nwindow: 5\n")
    (before,) = make(strategies=["mine.yaml"]).cells
    assert before.fields == {"type": "masking", "window": 5}
    assert before.label == "mini/mine.yaml/openai-gpt-4.1-mini"
    mine.write_text("window: 5\ntype: masking\n")
    (same,) = make(strategies=["mine.yaml"]).cells
    assert same.setting == before.setting
    mine.write_text("type: masking\nwindow: 6\n")
    (changed,) = make(strategies=["mine.yaml"]).cells
    assert changed.setting != before.setting
    assert before.fields["window"] == 5
    mine.write_text("type: masking\nwindw: 6\n")
    with pytest.raises(ConfigError, match=r'strategies\[0\]: .*mine.yaml: strategy masking has no field "windw"'):
        _ = make(strategies=["mine.yaml"]).cells


def test_an_option_of_a_later_version_changes_no_setting(make: Make) -> None:
    class Later(Instance):
        more: str = "as ever"

    (cell,) = make().cells
    of_then = replace(cell, instance=Later(**dict(cell.instance)))
    assert of_then.setting == cell.setting
    assert replace(of_then, instance=of_then.instance.model_copy(update={"more": "x"})).setting != cell.setting


@given(st.text(min_size=1))
def test_a_name_fits_a_folder_and_a_label(text: str) -> None:
    name = name_of({"type": "masking", "placeholder": text})
    assert re.fullmatch(r"[\w.-]{1,93}", name, re.ASCII)
    assert name not in {".", ".."}
