"""The reproduced figures and tables of the papers, beside the claims of the papers."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
from nicegui import app, ui

from rankcast.errors import RankcastError
from rankcast.lab.reproduce import Comparison, GalleryPicture, Result, RowKind, gallery
from rankcast.service.page.controls import toggle
from rankcast.service.page.drawings import wear
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, empty, group, open_dialog, pill, set_props, table, words

OUT = Path("out") / "experiments"
"""The output folder of `rankcast reproduce`, relative to the working directory."""


async def build(view: View) -> None:
    """Build the gallery of all pictures, by paper."""
    wear()
    found = await asyncio.to_thread(pictures)
    if not found:
        with empty(
            "o_insert_chart_outlined",
            "No figures yet",
            "This command makes them in a checkout of Rankcast. Then this page shows them.",
        ):
            words("code", "rankcast reproduce all", "rc-command")
        return
    papers = list(dict.fromkeys(_paper(picture) for picture in found))
    words(
        "p",
        f"{len(found)} pictures of {len(papers)} papers. Each is made by a file in experiments/ with one command, and says how it "
        "compares with the paper. Choose one to enlarge it.",
        "rc-soft",
    )
    sections: dict[str, ui.element] = {}
    if len(papers) > 1:
        toggle("Paper", ["All", *papers], "All", partial(_choose, sections), classes="rc-speeds rc-wrapping")
    for paper in papers:
        with group("section", "rc-column", aria_label=paper) as section:
            words("h2", paper)
            with group("div", "rc-pictures"):
                for picture in found:
                    if _paper(picture) == paper:
                        _card(picture)
        sections[paper] = section


def pictures(folders: Sequence[Path | None] = (None, OUT)) -> list[GalleryPicture]:
    """The pictures that come with Rankcast, and locally reproduced ones, which take precedence."""
    found: dict[tuple[str, str], GalleryPicture] = {}
    made: set[str] = set()
    for folder in reversed(folders):
        try:
            hung = gallery(folder)
        except (RankcastError, OSError, msgspec.DecodeError):
            continue  # a file that is being written can be read the next time
        for picture in hung:
            if picture.path.is_file() and picture.name not in made:
                found[picture.name, picture.path.name] = picture
        made |= {picture.name for picture in hung}
    return sorted(found.values(), key=lambda picture: (_paper(picture), _natural(picture.source), picture.path.name))


def _choose(sections: dict[str, ui.element], paper: str) -> None:
    for name, section in sections.items():
        section.visible = paper in ("All", name)


def _card(picture: GalleryPicture) -> None:
    address = app.add_static_file(local_file=picture.path)
    with group("button", "rc-card rc-picture", type="button", aria_label=f"{picture.source}: {picture.title}") as card:
        set_props(ui.element("img"), src=address, alt=picture.title, loading="lazy")
        words("span", picture.title, "rc-strong")
        words("span", picture.source, "rc-soft rc-small")
        words("span", picture.summary.partition(". ")[0].rstrip("."), "rc-soft rc-small")
    card.on("click", lambda: _enlarged(picture, address))


def _enlarged(picture: GalleryPicture, address: str) -> None:
    with open_dialog("The picture, enlarged", "rc-enlarged") as dialog:
        with group("div", "rc-row rc-spread"):
            words("h2", picture.title)
            act("", dialog.close, icon="o_close", kind="quiet", label="Close")
        with group("div", "rc-row rc-wrap"):
            pill(picture.source)
            words("code", f"rankcast reproduce {picture.name}", "rc-command")
        set_props(ui.element("img"), src=address, alt=picture.title)
        result = _result(picture)
        if result is None or not result.comparisons:
            words("p", picture.summary)
            return
        for kind in RowKind:
            _rows(kind, [one for one in result.comparisons if one.kind is kind])
        for remark in result.remarks:
            words("p", remark, "rc-soft")


def _rows(kind: RowKind, rows: Sequence[Comparison]) -> None:
    """A table with the rows of one kind; nothing if there are none."""
    if not rows:
        return
    words("h3", kind.heading)
    titles = ("What", "The paper's form", "Ours") if kind is RowKind.OURS else ("What", "Paper", "Ours", "Agrees")
    with table("Ours and the paper's", titles):
        for one in rows:
            with group("tr"):
                with group("td"):
                    words("span", one.what)
                    words("p", one.note, "rc-soft rc-small")
                words("td", one.paper)
                words("td", one.ours)
                if kind is not RowKind.OURS:
                    words("td", one.verdict, "rc-good" if one.agrees else "rc-bad")


def _result(picture: GalleryPicture) -> Result | None:
    """The result of the run that made the picture, if it is stored beside it."""
    try:
        return msgspec.json.decode((picture.path.parent / "result.json").read_bytes(), type=Result)
    except (OSError, msgspec.DecodeError):
        return None


def _paper(picture: GalleryPicture) -> str:
    return picture.source.partition(",")[0].strip() or "Other"


def _natural(text: str) -> list[tuple[int, str]]:
    """A sort key that puts `Figure 9` before `Figure 10`."""
    numbers = "".join(letter if letter.isdigit() else " " for letter in text).split()
    return [(int(number), "") for number in numbers] + [(0, text)]
