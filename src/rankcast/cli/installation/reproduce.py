"""``rankcast reproduce``: run the papers' experiments, and compare our results with theirs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import Json, bounded, output_file
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.plain import JsonObject
from rankcast.wording import counted

if TYPE_CHECKING:
    from rankcast.lab.reproduce import Result

_EXPERIMENTS = (
    TableColumn("name", style="bold"),
    TableColumn("what it shows", "title", folds=True),
    TableColumn("source", folds=True),
)
_COMPARISONS = (
    TableColumn("experiment", style="bold"),
    TableColumn("kind"),
    TableColumn("figure", "what", folds=True),
    amount("paper", form=""),
    amount("ours", form=""),
    TableColumn("agrees", lambda row: {True: "yes", False: "NO", None: ""}[row["agrees"]]),
    TableColumn("note", folds=True, style="dim"),
)


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Experiments to run; `all` runs all of them.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
    folder: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder for tables and figures.")] = Path(
        "out/experiments"
    ),
    again: Annotated[bool, typer.Option("--again", help="Run experiments again even if they have results.")] = False,
    docs: Annotated[Path | None, output_file("--docs", "Write a report to this file.")] = None,
    processes: Annotated[
        int | None, bounded(1, 1_000, metavar="N", help="Papers to reproduce at a time; by default one per processor.")
    ] = None,
    json: Json = False,
) -> None:
    """Run the experiments of the papers, and compare our figures with theirs.

    Each row is a number that the paper prints (ours agrees within 10 %), a statement about a shape (it agrees if it
    holds in every case), or ours alone. An experiment that has run with the same code is skipped, so an interrupted
    run continues where it stopped. The exit code is 1 if a number or statement does not agree.

    Example:

      rankcast reproduce --list
      rankcast reproduce all --docs docs/reproduction.md
    """
    from rankcast.lab.reproduce import document, experiments, headline, papers
    from rankcast.lab.reproduce import reproduce as run

    out = Output(json)
    known = experiments()
    if list_only or not names or not known:
        listed = [{"name": one.name, "title": one.title, "source": one.source} for one in known.values()]
        out.records(listed, _EXPERIMENTS, "no experiments")
        return
    chosen = list(known) if names == ["all"] else names
    with out.bars(chosen) as on_progress:
        results = [*run(chosen, folder, on_progress, again, processes=processes or os.cpu_count() or 1)]
    compared = [_row(result, number) for result in results for number in range(len(result.comparisons))]
    out.records(compared, _COMPARISONS, "no comparisons")
    for result in results:
        for remark in result.remarks:
            out.say(f"{result.name}: {remark}")
    if docs is not None:
        document(results, papers(), folder, docs)
        out.say(f"wrote {docs}")
    seconds = sum(result.seconds for result in results)
    out.say(f"{counted(len(results), 'experiment')}, {seconds:.1f} s, results in {folder}")
    out.say(headline([row for result in results for row in result.comparisons]))
    if any(row["agrees"] is False for row in compared):
        raise typer.Exit(NEGATIVE)


def _row(result: "Result", number: int) -> JsonObject:
    one = result.comparisons[number]
    return {
        "experiment": result.name,
        "kind": one.kind.value,
        "what": one.what,
        "paper": one.paper,
        "ours": one.ours,
        "agrees": one.agrees,
        "note": one.note,
    }
