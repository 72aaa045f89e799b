"""Running experiments: results are kept until the code that an experiment depends on changes."""

import sys
from pathlib import Path

import pytest

from rankcast.errors import RankcastError
from rankcast.lab.reproduce import RowKind, experiments, reproduce

MODULE = """
from experiments import {shared}
from rankcast.lab.reproduce import Experiment

def run(report):
    report.progress(0.5)
    runs = report.folder.parent / "{name}.runs"
    runs.write_text((runs.read_text() if runs.exists() else "") + "x")
    report.table("{name}", ["a", "b"], [(1, 2)])
    report.printed("share", 17, 17, " %")
    report.remark("so it was")

EXPERIMENT = Experiment("{name}", "Title of {name}", "Paper, Figure 1", run)
"""


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "experiments", raising=False)
    made = tmp_path / "experiments"
    made.mkdir()
    for name in ("one", "two"):
        unique = f"{request.node.name}_{name}".replace("[", "").replace("]", "")
        (made / f"{unique}.py").write_text(MODULE.format(name=unique, shared=f"shared_{request.node.name}"))
    (made / f"shared_{request.node.name}.py").write_text("")
    (made / "shared_by_none.py").write_text("")
    return made


def test_what_was_run_with_the_same_code_is_not_run_again(folder: Path, tmp_path: Path) -> None:
    names = list(experiments(folder))
    assert len(names) == 2
    for _ in range(2):
        results = list(reproduce(["all"], tmp_path / "out", folder=folder))
    assert [result.name for result in results] == names
    assert (tmp_path / "out" / f"{names[0]}.runs").read_text() == "x"
    list(reproduce(names[:1], tmp_path / "out", again=True, folder=folder))
    assert (tmp_path / "out" / f"{names[0]}.runs").read_text() == "xx"
    (folder / "shared_by_none.py").write_text("# changed")
    list(reproduce(names[:1], tmp_path / "out", folder=folder))
    assert (tmp_path / "out" / f"{names[0]}.runs").read_text() == "xx"
    next(folder.glob("shared_test_*.py")).write_text("# changed")
    list(reproduce(names[:1], tmp_path / "out", folder=folder))
    assert (tmp_path / "out" / f"{names[0]}.runs").read_text() == "xxx"


def rewrite(folder: Path, name: str, *changes: tuple[str, str]) -> None:
    """Change the text of an experiment, which is then loaded again."""
    file = folder / f"{name}.py"
    for before, after in changes:
        file.write_text(file.read_text().replace(before, after))
    del sys.modules[f"experiments.{name}"]


def test_papers_are_reproduced_at_the_same_time(folder: Path, tmp_path: Path) -> None:
    one, two = experiments(folder)
    rewrite(folder, two, ("Paper, Figure", "Other paper, Figure"))
    told: list[tuple[str, float]] = []
    results = list(reproduce(["all"], tmp_path / "out", lambda *given: told.append(given), folder=folder, processes=2))
    assert [result.name for result in results] == [one, two]
    assert sorted(told) == sorted((name, share) for name in (one, two) for share in (0.5, 1.0))
    again = list(reproduce(["all"], tmp_path / "out", folder=folder))
    assert again == results
    assert (tmp_path / "out" / f"{two}.runs").read_text() == "x"


def test_what_is_timed_runs_alone_after_the_others(folder: Path, tmp_path: Path) -> None:
    timed, other = experiments(folder)
    first = folder / f"{timed}.py"
    first.write_text(first.read_text().replace('1", run)', '1", run, is_timed=True)'))
    sys.modules.pop(f"experiments.{timed}")
    told: list[str] = []
    results = list(reproduce(["all"], tmp_path / "out", lambda name, _: told.append(name), folder=folder, processes=2))
    assert [result.name for result in results] == [timed, other]
    assert told == [other, other, timed, timed]


def test_a_failure_in_another_process_is_told(folder: Path, tmp_path: Path) -> None:
    _, two = experiments(folder)
    rewrite(folder, two, ("Paper, Figure", "Other paper, Figure"), ("report.remark(", "raise ValueError("))
    with pytest.raises(ValueError, match="so it was"):
        list(reproduce(["all"], tmp_path / "out", folder=folder, processes=2))


def test_an_unknown_one_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RankcastError, match="there is no experiment"):
        list(reproduce(["nothing"], tmp_path / "out", folder=folder))


def test_a_result_of_a_former_form_is_made_again(folder: Path, tmp_path: Path) -> None:
    (name, *_) = experiments(folder)
    list(reproduce([name], tmp_path / "out", folder=folder))
    summary = tmp_path / "out" / name / "result.json"
    summary.write_text(summary.read_text().replace('"kind"', '"sort"'))
    (result,) = reproduce([name], tmp_path / "out", folder=folder)
    assert result.comparisons[0].kind is RowKind.PRINTED
    assert (tmp_path / "out" / f"{name}.runs").read_text() == "xx"
