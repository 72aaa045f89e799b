from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from matplotlib.figure import Figure
from playwright.sync_api import Page, expect

from rankcast.lab.reproduce import Comparison, Result, RowKind
from rankcast.service.page.gallery import pictures


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder as `rankcast reproduce` leaves it: two experiments with a picture, one without."""
    folder = tmp_path / "experiments"
    for name, source, files in (
        ("t9", "Paper, Table 9", ["t9.png"]),
        ("t10", "Paper, Table 10", ["t10.png"]),
        ("t1", "X", []),
    ):
        (folder / name).mkdir(parents=True)
        for file in files:
            Figure(figsize=(2, 1)).savefig(folder / name / file)
        compared = [Comparison(RowKind.PRINTED, "speed", "1", "2", agrees=False, note="another machine")]
        result = Result(name, f"Title of {name}", source, 1.0, "abc", compared, files, [])
        (folder / name / "result.json").write_bytes(msgspec.json.encode(result))
    return folder


def test_pictures_come_in_the_order_in_which_people_count(out: Path) -> None:
    assert [picture.name for picture in pictures([out])] == ["t9", "t10"]


def test_what_was_made_here_goes_before_what_came_with_it(out: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    newer.mkdir()
    (out / "t9").rename(newer / "t9")
    (out / "t9").mkdir()
    for file in ("t9.png", "result.json"):
        (out / "t9" / file).write_bytes((newer / "t9" / file).read_bytes())
    found = {picture.name: picture.path for picture in pictures([out, newer])}
    assert found == {"t9": newer / "t9" / "t9.png", "t10": out / "t10" / "t10.png"}


def test_a_result_that_is_half_written_or_a_picture_that_is_gone_hides_nothing_else(out: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken" / "t9"
    broken.mkdir(parents=True)
    (broken / "result.json").write_text('{"name": "t9", "ti')
    (out / "t10" / "t10.png").unlink()
    assert [picture.name for picture in pictures([out, tmp_path / "broken", tmp_path / "nowhere"])] == ["t9"]


def test_the_page_shows_the_pictures_or_how_to_make_them(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    page = visit("/gallery")
    if not pictures([None]):
        expect(page.get_by_text("rankcast reproduce all")).to_be_visible()
        return
    first = page.locator(".rc-picture").first
    expect(first.locator("img")).to_have_js_property("complete", True)
    assert first.locator("img").evaluate("image => image.naturalWidth") > 100
    snap(page, "gallery")
    first.click()
    expect(page.get_by_role("dialog")).to_contain_text("rankcast reproduce")
