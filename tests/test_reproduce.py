"""Running experiments: results kept by fingerprint, and a page written from them."""

from pathlib import Path

import pytest

from rankcast.errors import RankcastError
from rankcast.reproduce import Comparison, Result, document, experiments, reproduce

MODULE = """
from pathlib import Path
from rankcast.reproduce import Experiment

def run(report):
    report.progress(0.5)
    runs = report.folder.parent / "{name}.runs"
    runs.write_text((runs.read_text() if runs.exists() else "") + "x")
    report.table("{name}", ["a", "b"], [(1, 2)])
    report.compare("share", "17 %", "17 %", True)
    report.remark("so it was")

EXPERIMENT = Experiment("{name}", "Title of {name}", "Paper, Figure 1", run)
"""


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    made = tmp_path / "experiments"
    made.mkdir()
    for name in ("one", "two"):
        unique = f"{request.node.name}_{name}".replace("[", "").replace("]", "")
        (made / f"{unique}.py").write_text(MODULE.format(name=unique))
    (made / "shared_by_all.py").write_text("")
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
    (folder / "shared_by_all.py").write_text("# changed")
    list(reproduce(names[:1], tmp_path / "out", folder=folder))
    assert (tmp_path / "out" / f"{names[0]}.runs").read_text() == "xxx"


def test_an_unknown_one_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RankcastError, match="there is no experiment"):
        list(reproduce(["nothing"], tmp_path / "out", folder=folder))


def test_the_page_has_all_figures_and_pictures(tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "docs" / "page.md"
    (out / "fig2").mkdir(parents=True)
    (out / "fig2" / "fig2.png").write_bytes(b"picture")

    def result(name: str, source: str, *comparisons: Comparison, files: list[str] | None = None) -> Result:
        return Result(name, f"About {name}", source, 1.0, "print", list(comparisons), files or [], ["a remark"])

    document(
        [
            result("fig10", "P, Figure 10", Comparison("x | y", "1", "2", False, "because")),
            result(
                "fig2",
                "P, Figure 2",
                Comparison("z", "1", "1", True),
                Comparison("new", "-", "3", True),
                files=["fig2.png"],
            ),
        ],
        out,
        page,
    )
    text = page.read_text()
    assert "2 experiments, 2 figures or statements of the papers compared, 1 of which agree." in text
    assert text.index("Figure 2") < text.index("Figure 10")
    assert "| x \\| y | 1 | 2 | **no** | because |" in text
    assert "![About fig2](page/fig2.png)" in text
    assert (tmp_path / "docs" / "page" / "fig2.png").read_bytes() == b"picture"
