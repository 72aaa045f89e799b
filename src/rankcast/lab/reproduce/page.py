"""The results of the experiments as a Markdown page."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from rankcast.lab.reproduce.experiments import Comparison, Result, natural
from rankcast.lab.reproduce.gallery import hang

__all__ = ["document"]


def document(results: Sequence[Result], out: Path, page: Path) -> None:
    """Write the results as a Markdown page, paper by paper; the pictures go into a folder next to it.

    `out` is the folder of the results. The page says how many comparisons agree, and explains each that does not.
    """
    results = sorted(results, key=lambda result: natural(result.source))
    folder = page.with_suffix("")
    pictures = hang(results, out, folder)
    compared = [one for result in results for one in result.compared]
    lines = [
        "# The papers' evaluations, reproduced",
        "",
        *_wrapped(
            "`rankcast reproduce all --docs docs/reproduction.md` writes this page; do not edit it. Each section is a file "
            "in `experiments/`. `rankcast reproduce NAME` runs it again and saves the numbers as CSV."
        ),
        "",
        *_wrapped(
            f"{len(results)} experiments compare {len(compared)} figures or statements of the papers with ours; "
            f"{sum(one.agrees for one in compared)} agree. For each that does not, the last column says why. "
            "A `-` marks a result that the paper does not have."
        ),
    ]
    for paper, group in groupby(results, key=lambda result: result.paper):
        of_paper = list(group)
        lines += ["", f"## {paper}", "", "| | | agree |", "| --- | --- | --- |"]
        for result in of_paper:
            lines.append(
                f"| [{_cell(_place(result))}](#{_anchor(_heading(result))}) | {_cell(result.title)} | {result.agreeing} |"
            )
        for result in of_paper:
            lines += _section(result, [f"{folder.name}/{name}" for name in pictures[result.name]])
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _section(result: Result, pictures: Sequence[str]) -> list[str]:
    lines = ["", f"### {_heading(result)}", "", f"`rankcast reproduce {result.name}`", ""]
    lines += ["| what | paper | ours | agrees | |", "| --- | --- | --- | --- | --- |"]
    lines += [_row(one) for one in result.comparisons]
    for remark in result.remarks:
        lines += ["", *_wrapped(remark)]
    for picture in pictures:
        lines += ["", f"![{result.title}]({picture})"]
    return lines


def _wrapped(text: str) -> list[str]:
    return wrap(text, 118, break_long_words=False, break_on_hyphens=False)


def _row(one: Comparison) -> str:
    cells = (one.what, one.paper, one.ours, "yes" if one.agrees else "**no**", one.note)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _place(result: Result) -> str:
    """The place in the paper."""
    place = result.source.partition(", ")[2] or result.source
    return place[0].upper() + place[1:]


def _heading(result: Result) -> str:
    return f"{_place(result)}: {result.title}"


def _anchor(heading: str) -> str:
    """The link to a heading, as GitHub makes it."""
    kept = (letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return "".join(kept).replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
