"""The results of the experiments as a Markdown page."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from rankcast.lab.reproduce.experiments import SEEDS, Paper, Result, natural
from rankcast.lab.reproduce.gallery import hang
from rankcast.lab.reproduce.rows import WITHIN, Comparison, RowKind, agreeing, headline


def document(results: Sequence[Result], papers: Mapping[str, Paper], out: Path, page: Path) -> None:
    """Write the results as a Markdown page, paper by paper; the pictures go into a folder next to it.

    `out` is the folder of the results. The page opens with a summary for a sceptical reader: for each paper what
    agrees, what does not and why, and what we could not know.
    """
    results = sorted(results, key=lambda result: natural(result.source))
    folder = page.with_suffix("")
    pictures = hang(results, out, folder)
    by_paper = {paper: list(group) for paper, group in groupby(results, key=lambda result: result.paper)}
    lines = [
        "# The papers' evaluations, reproduced",
        "",
        *_wrapped(
            "`rankcast reproduce all --docs docs/reproduction.md` writes this page; do not edit it. Each section is a file "
            "in `experiments/`. `rankcast reproduce NAME` runs it again and saves the numbers as CSV."
        ),
        "",
        *_wrapped(headline([row for result in results for row in result.comparisons])),
        "",
        "## For a sceptical reader",
        "",
        *_wrapped(
            "A row is of one of three kinds. *Printed*: a number that the paper prints; ours agrees if it differs by "
            f"at most {WITHIN:.0%}. *Shape*: a statement of the paper as a rule, which runs over at least {SEEDS} seeds, "
            "all users or all cells, and agrees only if it holds for every one of them; a test shows for each rule a "
            "result that it rejects. *Ours*: no claim to agree with anything."
        ),
        "",
        "| paper | printed numbers that agree | statements that hold | ours alone |",
        "| --- | --- | --- | --- |",
    ]
    for paper, of_paper in by_paper.items():
        rows = [row for result in of_paper for row in result.comparisons]
        counts = [agreeing(rows, kind) for kind in RowKind]
        told = [f"{agree} of {count}" if count else "none" for agree, count in counts[:2]]
        lines.append(f"| [{_cell(paper)}](#{_anchor(paper)}) | {told[0]} | {told[1]} | {counts[2][1]} |")
    for paper, of_paper in by_paper.items():
        if paper in papers:
            lines += _for_sceptics(papers[paper], [row for result in of_paper for row in result.comparisons])
    for paper, of_paper in by_paper.items():
        lines += ["", f"## {paper}", "", "| | | agree |", "| --- | --- | --- |"]
        for result in of_paper:
            told_of_result = result.agreeing or "ours alone"
            lines.append(
                f"| [{_cell(_place(result))}](#{_anchor(_heading(result))}) | {_cell(result.title)} | {told_of_result} |"
            )
        for result in of_paper:
            lines += _section(result, [f"{folder.name}/{name}" for name in pictures[result.name]])
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _for_sceptics(paper: Paper, rows: Sequence[Comparison]) -> list[str]:
    missed = [row for row in rows if row.agrees is False]
    lines = ["", f"### {paper.title}", "", *_wrapped(f"**Agrees.** {paper.agrees}"), ""]
    lines += _wrapped(f"**Does not agree** ({len(missed)} rows). {paper.differs}")
    lines += ["", "**What we could not know.**", ""]
    for unknown in paper.unknown:
        lines += wrap(unknown, 118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
    return lines


def _section(result: Result, pictures: Sequence[str]) -> list[str]:
    lines = ["", f"### {_heading(result)}", "", f"`rankcast reproduce {result.name}`"]
    for kind in RowKind:
        rows = [row for row in result.comparisons if row.kind is kind]
        if rows:
            lines += ["", *_TABLES[kind], *(_row(row) for row in rows)]
    for remark in result.remarks:
        lines += ["", *_wrapped(remark)]
    for picture in pictures:
        lines += ["", f"![{result.title}]({picture})"]
    return lines


_TABLES = {
    RowKind.PRINTED: ("| printed | paper | ours | agrees | |", "| --- | --- | --- | --- | --- |"),
    RowKind.SHAPE: ("| shape | paper | ours | holds | |", "| --- | --- | --- | --- | --- |"),
    RowKind.OURS: ("| ours alone | the paper's form, run by us | ours | |", "| --- | --- | --- | --- |"),
}


def _wrapped(text: str) -> list[str]:
    return wrap(text, 118, break_long_words=False, break_on_hyphens=False)


def _row(one: Comparison) -> str:
    verdict = {"yes": ["yes"], "no": ["**no**"], "": []}[one.verdict]
    return "| " + " | ".join(_cell(cell) for cell in (one.what, one.paper, one.ours, *verdict, one.note)) + " |"


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
