"""``rankcast concepts adapt``, ``runs`` and ``undo``: mined concepts of a store that follow the data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.files.mining_sources import MiningEngine, from_store
from rankcast.cli.options import DEFAULT_STORE, MOST_ROWS, Json, StorePath
from rankcast.cli.output import Output, TableColumn
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.store import MiningRun

__all__ = ["adapt_concepts", "mining_runs", "undo_mining"]

_RECENT = 300

_COLUMNS = (
    TableColumn("run", align="right"),
    TableColumn("when"),
    TableColumn("attribute"),
    TableColumn("changed", style="bold", folds=True),
    TableColumn("degrees moved by", align="right"),
    TableColumn("for", folds=True),
    TableColumn("undone"),
)


def adapt_concepts(
    attribute: Annotated[list[str], typer.Option(metavar="NAME", help="Attribute. May be repeated.")],
    engine: Annotated[MiningEngine, typer.Option(help="Count on Spark, or in this process.")] = MiningEngine.LOCAL,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Mine the concepts of an attribute again from all events of the store, and replace the meanings that moved.

    Names and number of the shared concepts stay; if there are none yet, they are made. The table shows for whom matches
    change, by the last 300 events. rankcast concepts undo takes it back. rankcast serve --mine does this by itself.

    Example:

      rankcast concepts adapt --attribute price
      rankcast concepts adapt --attribute genre --engine spark
    """
    from rankcast.lab.adapting import adapt, plan_adaptation
    from rankcast.store import MiningLog, Store

    out = Output(json)
    summaries, _ = from_store(attribute, store, engine, out)
    done: list[MiningRun] = []
    unchanged = 0
    with Store.open(store) as opened:
        last = opened.last_offset()
        recent = [logged.event for logged in opened.events(after=max(0, last - _RECENT))][::-1]
        for summary in summaries:
            before = MiningLog(opened.database).last(summary.attribute)
            planned = plan_adaptation(opened.catalog(), summary, recent, before, is_asked=True)
            if planned.run is None:
                unchanged += 1
                out.say(f"{summary.attribute}: {planned.reason}")
            else:
                done.append(adapt(opened, planned.run))
    out.records([one.to_json() for one in done], _COLUMNS, _cells)
    if unchanged and not done:
        raise typer.Exit(NEGATIVE)


def mining_runs(
    attribute: Annotated[str | None, typer.Option(metavar="NAME", help="Only runs on this attribute.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of runs.")] = 20,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """List the runs of mining that changed concepts, newest first, with what changed for whom.

    Example:

      rankcast concepts runs --attribute price
    """
    from rankcast.store import MiningLog, Store

    with Store.open(store) as opened:
        found = MiningLog(opened.database).runs(attribute, limit)
    Output(json).records([one.to_json() for one in found], _COLUMNS, _cells, "mining has changed nothing yet")


def undo_mining(
    run: Annotated[int, typer.Argument(min=1, max=MOST_ROWS, help="Number of the run: the last one on its attribute.")],
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Give concepts the meaning that they had before a run of mining.

    A schedule leaves the attribute alone from then on, until somebody asks for a run (rankcast concepts adapt).

    Example:

      rankcast concepts undo 7
    """
    from rankcast.lab.adapting import undo_run
    from rankcast.store import Store

    with Store.open(store) as opened:
        undone = undo_run(opened, run)
    Output(json).records([undone.to_json()], _COLUMNS, _cells)


def _cells(row: JsonObject) -> Sequence[str]:
    told = [f"{one['user']}: {one['subscription']} {one['before']:,} → {one['after']:,}" for one in row["effects"]]
    more = [f"and {row['not_tried']:,} subscriptions that were not tried"] if row["not_tried"] else []
    return (
        str(row["run"]),
        row["when"],
        row["attribute"],
        ", ".join(one["name"] for one in row["after"]),
        f"{row['shift']:.3f}",
        "; ".join([*told, *more]) or "nobody",
        row["undone"] or "",
    )
