"""The page and the gallery that are made of results."""

from pathlib import Path

import msgspec
import pytest
from PIL import Image

from rankcast.lab.reproduce import Comparison, Paper, Result, RowKind, document, gallery


def result(name: str, source: str, *comparisons: Comparison, files: tuple[str, ...] = ()) -> Result:
    return Result(name, f"About {name}", source, 1.0, "print", list(comparisons), list(files), ["a remark"])


RESULTS = [
    result("fig10", "P, Figure 10", Comparison(RowKind.PRINTED, "x | y", "1", "2", False, "because")),
    result(
        "fig2",
        "P, Figure 2",
        Comparison(RowKind.SHAPE, "z", "rises", "10 of 10 seeds", True),
        Comparison(RowKind.OURS, "new", "2", "3", None),
        files=("fig2.csv", "fig2.png", "more.png"),
    ),
    result("other", "Q, Table 1"),
]
PAPERS = {"P": Paper("P", "P, a study", "Much agrees.", "We read it in another way.", ("It does not say how many.",))}


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
    document(RESULTS, PAPERS, out, page)
    text = page.read_text()
    assert "0 of 1 printed numbers agree within 10%. 1 of 1 statements about the shape hold in every case. 1" in text
    assert text.index("## P\n") < text.index("### Figure 2: ") < text.index("### Figure 10: ") < text.index("## Q\n")
    assert "| [Figure 10](#figure-10-about-fig10) | About fig10 | 0 of 1 printed numbers |" in text
    assert "| [P](#p) | 0 of 1 | 1 of 1 | 1 |" in text
    assert "| [Q](#q) | none | none | 0 |" in text
    assert "| x \\| y | 1 | 2 | **no** | because |" in text
    assert "| z | rises | 10 of 10 seeds | yes |  |" in text
    assert "| new | 2 | 3 |  |" in text
    assert "![About fig2](page/fig2.png)" in text
    assert "![About fig2](page/fig2-2.png)" in text


def test_the_page_opens_with_what_a_sceptical_reader_asks(tmp_path: Path, out: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    document(RESULTS, PAPERS, out, page)
    text = page.read_text()
    opening = text[: text.index("## P\n")]
    assert "### P, a study" in opening
    assert "**Agrees.** Much agrees." in opening
    assert "**Does not agree** (1 rows). We read it in another way." in opening
    assert "- It does not say how many." in opening


def test_the_gallery_is_the_same_from_results_and_from_the_page(tmp_path: Path, out: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    (tmp_path / "docs" / "page").mkdir(parents=True)
    (tmp_path / "docs" / "page" / "gone.png").write_bytes(b"of a former run")
    document(RESULTS, PAPERS, out, page)
    hung, left = gallery(tmp_path / "docs" / "page"), gallery(out)
    assert [one.path.relative_to(tmp_path).as_posix() for one in hung] == ["docs/page/fig2.png", "docs/page/fig2-2.png"]
    assert [one.path.relative_to(tmp_path).as_posix() for one in left] == ["out/fig2/fig2.png", "out/fig2/more.png"]
    for one, other in zip(hung, left, strict=True):
        assert (one.name, one.title, one.source, one.summary) == (other.name, other.title, other.source, other.summary)
        assert one.summary == "1 of 1 statements about the shape agree. a remark"
        with Image.open(one.path) as copy, Image.open(other.path) as picture:
            assert (copy.size, copy.format) == (picture.size, "PNG")
    assert not (tmp_path / "docs" / "page" / "gone.png").exists()


def test_without_results_there_are_no_pictures(tmp_path: Path) -> None:
    assert gallery(tmp_path) == []


def test_the_gallery_of_this_checkout_is_complete() -> None:
    pictures = gallery()
    assert {"debs_fig10", "debs_table1"} <= {one.name for one in pictures}
    assert all(one.path.is_file() and one.summary for one in pictures)
