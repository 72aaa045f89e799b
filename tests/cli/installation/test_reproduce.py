"""``rankcast reproduce``, on experiments made for the purpose."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

EXPERIMENT = """
from rankcast.lab.reproduce import Experiment

def run(report):
    report.progress(0.5)
    report.table("t", ["a"], [[1]])
    report.printed("share", 17, {ours}, " %", 0, "why")
    report.remark("it was so")

EXPERIMENT = Experiment("{name}", "The {name} table", "DEBS'09, Table 1", run)
"""


@pytest.fixture
def experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write experiments into the folder `experiments` of the working folder, which is looked at first."""
    (tmp_path / "experiments").mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path])

    def write(**agreeing: bool) -> None:
        for name, agrees in agreeing.items():
            monkeypatch.delitem(sys.modules, f"experiments.{name}", raising=False)
            text = EXPERIMENT.format(name=name, ours=17 if agrees else 99)
            (tmp_path / "experiments" / f"{name}.py").write_text(text)

    yield write
    for module in [name for name in sys.modules if name.startswith("experiments.")]:
        del sys.modules[module]


def test_no_experiments_yet(rankcast: Any, experiments: Any) -> None:
    for arguments in ([], ["--list"], ["all"]):
        result = rankcast("reproduce", *arguments)
        assert (result.stdout, result.stderr) == ("", "no experiments\n")


def test_list(rankcast: Any, experiments: Any) -> None:
    experiments(first=True, second=True)
    told = [json.loads(line) for line in rankcast("reproduce", "--list").stdout.splitlines()]
    assert [one["name"] for one in told] == ["first", "second"]
    assert told[0] == {"name": "first", "title": "The first table", "source": "DEBS'09, Table 1"}


def test_all_agree(rankcast: Any, experiments: Any, tmp_path: Path) -> None:
    experiments(first=True, second=True)
    result = rankcast("reproduce", "all", "--out", "kept")
    assert [json.loads(line)["experiment"] for line in result.stdout.splitlines()] == ["first", "second"]
    assert "first: it was so" in result.stderr
    assert "2 experiments" in result.stderr
    assert "2 of 2 printed numbers agree within 10%." in result.stderr
    assert (tmp_path / "kept" / "first" / "t.csv").exists()


def test_a_figure_that_does_not_agree(rankcast: Any, experiments: Any) -> None:
    experiments(first=True, second=False)
    (line,) = rankcast("reproduce", "second", code=1).stdout.splitlines()
    assert json.loads(line) == {
        "experiment": "second",
        "kind": "printed",
        "what": "share",
        "paper": "17 %",
        "ours": "99 %",
        "agrees": False,
        "note": "why",
    }
    assert "did you mean 'first'" in rankcast("reproduce", "frst", code=1).stderr
