"""``rankcast concepts adapt``, ``runs`` and ``undo``: mined concepts of a store that follow the data."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.files.mining_sources import MiningEngine, from_store
from rankcast.cli.options import DEFAULT_STORE, MOST_ROWS, Json, StorePath, duration
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.store import MiningRun

_RECENT = 300
_POLL = 0.2

_COLUMNS = (
    amount("run", form=""),
    TableColumn("when"),
    TableColumn("attribute"),
    TableColumn("changed", lambda row: ", ".join(one["name"] for one in row["after"]), style="bold", folds=True),
    amount("degrees moved by", "shift", ".3f"),
    TableColumn("for", lambda row: _effects(row), folds=True),
    TableColumn("undone"),
)


def adapt_concepts(
    attribute: Annotated[list[str], typer.Option(metavar="NAME", help="Attribute. May be repeated.")],
    engine: Annotated[
        MiningEngine | None,
        typer.Option(help="Count on Spark, or in this process; by default as the store's pipeline runs."),
    ] = None,
    every: Annotated[
        str | None,
        duration(metavar="DURATION", help="Repeat at this interval until Ctrl-C. Keeps what was defined by hand."),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Mine the concepts of an attribute again from all events of the store, and replace the meanings that moved.

    The shared concepts keep their names and their number. If there are none yet, the command creates them. The table
    shows which subscriptions match more or fewer of the last 300 events. To undo a run, use rankcast concepts undo.

    With --every the command repeats until Ctrl-C. It then leaves concepts unchanged that somebody defined, changed or
    restored by hand. rankcast serve --mine does the same inside the service, from recent events.

    Example:

      rankcast concepts adapt --attribute price
      rankcast concepts adapt --attribute price --attribute genre --engine spark --every 1h
    """
    from rankcast.store import SPARK, Store

    out = Output(json)
    with Store.open(store) as opened:
        known = opened.pipeline()
    if engine is None:
        engine = MiningEngine.SPARK if known is not None and known.engine == SPARK else MiningEngine.LOCAL
    if every is None:
        done = _adapted(attribute, store, engine, out, is_asked=True)
        out.records([one.to_json() for one in done], _COLUMNS)
        if not done:
            raise typer.Exit(NEGATIVE)
    else:
        _follow(attribute, store, engine, out, every)


def _adapted(
    attributes: Sequence[str], store: str, engine: MiningEngine, out: Output, *, is_asked: bool
) -> "list[MiningRun]":
    """Mine each attribute. Returns the runs that changed concepts, and says why others did not."""
    from rankcast.lab.adapting import adapt, plan_adaptation
    from rankcast.store import MiningLog, Store

    summaries = from_store(attributes, store, engine, out)
    done: list[MiningRun] = []
    with Store.open(store) as opened:
        last = opened.last_offset()
        recent = [logged.event for logged in opened.events(after=max(0, last - _RECENT))][::-1]
        for summary in summaries:
            before = MiningLog(opened.database).last(summary.attribute)
            planned = plan_adaptation(opened.catalog(), summary, recent, before, is_asked=is_asked)
            if planned.run is None:
                out.say(f"{summary.attribute}: {planned.reason}")
            else:
                done.append(adapt(opened, planned.run))
    return done


def _follow(attributes: Sequence[str], store: str, engine: MiningEngine, out: Output, every: str) -> None:
    """Mine at an interval. A failure is reported, and the next round starts as planned."""
    from rankcast.cli.operation.run import stoppable
    from rankcast.errors import ModelError, RankcastError
    from rankcast.lab.adapting import SCHEDULE
    from rankcast.language import parse_duration
    from rankcast.model.actors import acting

    pause = parse_duration(every).total_seconds()
    if pause < 1:
        raise ModelError("--every must be at least 1 second")
    with stoppable() as stopped, acting(SCHEDULE):
        out.say(f"mining every {every}; stop with Ctrl-C")
        while not stopped():
            try:
                done = _adapted(attributes, store, engine, out, is_asked=False)
                if done:
                    out.records([one.to_json() for one in done], _COLUMNS)
                    out.flush()
            except RankcastError as error:
                out.say(f"nothing was mined: {error}")
            _wait(pause, stopped)


def _wait(seconds: float, stopped: Callable[[], bool]) -> None:
    """Wait, but not longer than until a request to stop."""
    until = time.monotonic() + seconds
    while not stopped() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _POLL))


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
    Output(json).records([one.to_json() for one in found], _COLUMNS, "mining has changed nothing yet")


def undo_mining(
    run: Annotated[int, typer.Argument(min=1, max=MOST_ROWS, help="Number of the run: the last one on its attribute.")],
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Give concepts the meaning that they had before a run of mining.

    From then on, a schedule does not change the attribute until somebody starts a run with rankcast concepts adapt.

    Example:

      rankcast concepts undo 7
    """
    from rankcast.lab.adapting import undo_run
    from rankcast.store import Store

    with Store.open(store) as opened:
        undone = undo_run(opened, run)
    Output(json).records([undone.to_json()], _COLUMNS)


def _effects(row: JsonObject) -> str:
    told = [f"{one['user']}: {one['subscription']} {one['before']:,} → {one['after']:,}" for one in row["effects"]]
    more = [f"and {row['not_tried']:,} subscriptions that were not tried"] if row["not_tried"] else []
    return "; ".join([*told, *more]) or "nobody"
