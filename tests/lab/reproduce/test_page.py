"""The page and the gallery that are made of results."""

from pathlib import Path

import msgspec
import pytest
from PIL import Image

from rankcast.lab.reproduce import Comparison, Result, document, gallery


def result(name: str, source: str, *comparisons: Comparison, files: tuple[str, ...] = ()) -> Result:
    return Result(name, f"About {name}", source, 1.0, "print", list(comparisons), list(files), ["a remark"])


RESULTS = [
    result("fig10", "P, Figure 10", Comparison("x | y", "1", "2", False, "because")),
    result(
        "fig2",
        "P, Figure 2",
        Comparison("z", "1", "1", True),
        Comparison("new", "-", "3", True),
        files=("fig2.csv", "fig2.png", "more.png"),
    ),
    result("other", "Q, Table 1"),
]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    for one in RESULTS:
        folder = tmp_path / "out" / one.name
        folder.mkdir(parents=True)
        (folder / "result.json").write_bytes(msgspec.json.encode(one))
        for name in one.pictures:
            Image.linear_gradient("L").convert("RGB").save(folder / name)
    return tmp_path / "out"


def test_the_page_has_all_figures_and_pictures(tmp_path: Path, out: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    document(RESULTS, out, page)
    text = page.read_text()
    assert "3 experiments compare 2 figures or statements of the papers with ours; 1 agree." in text
    assert text.index("## P\n") < text.index("### Figure 2: ") < text.index("### Figure 10: ") < text.index("## Q\n")
    assert "| [Figure 10](#figure-10-about-fig10) | About fig10 | 0 of 1 |" in text
    assert "| x \\| y | 1 | 2 | **no** | because |" in text
    assert "![About fig2](page/fig2.png)" in text
    assert "![About fig2](page/fig2-2.png)" in text


def test_the_gallery_is_the_same_from_results_and_from_the_page(tmp_path: Path, out: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    (tmp_path / "docs" / "page").mkdir(parents=True)
    (tmp_path / "docs" / "page" / "gone.png").write_bytes(b"of a former run")
    document(RESULTS, out, page)
    hung, left = gallery(tmp_path / "docs" / "page"), gallery(out)
    assert [one.path.relative_to(tmp_path).as_posix() for one in hung] == ["docs/page/fig2.png", "docs/page/fig2-2.png"]
    assert [one.path.relative_to(tmp_path).as_posix() for one in left] == ["out/fig2/fig2.png", "out/fig2/more.png"]
    for one, other in zip(hung, left, strict=True):
        assert (one.name, one.title, one.source, one.summary) == (other.name, other.title, other.source, other.summary)
        assert one.summary == "1 of 1 figures or statements of the paper agree. a remark"
        with Image.open(one.path) as copy, Image.open(other.path) as picture:
            assert (copy.size, copy.format) == (picture.size, "PNG")
    assert not (tmp_path / "docs" / "page" / "gone.png").exists()


def test_without_results_there_are_no_pictures(tmp_path: Path) -> None:
    assert gallery(tmp_path) == []


def test_the_gallery_of_this_checkout_is_complete() -> None:
    pictures = gallery()
    assert {"debs_fig10", "debs_table1"} <= {one.name for one in pictures}
    assert all(one.path.is_file() and one.summary for one in pictures)
