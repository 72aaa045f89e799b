"""``rankcast status``: the state of a store and its pipeline."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output, TableColumn, table
from rankcast.plain import JsonObject
from rankcast.wording import counted

if TYPE_CHECKING:
    from rankcast.store import Pipeline
    from rankcast.store.status import Status

_COLUMNS = (TableColumn("item", style="dim"), TableColumn("state", folds=True))


def status(store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Show what the store contains, which pipeline serves it, its progress and its backlog.

    Example:

      rankcast status
      rankcast status --json | jq .lag
    """
    from rankcast.store import Store
    from rankcast.store.status import status as read

    with Store.open(store) as opened:
        found, place, now = read(opened.database), opened.database.place, opened.database.clock()
    out = Output(json)
    if out.as_lines:
        out.record(_record(found, place, now))
    else:
        out.show(table(_COLUMNS, list(_rows(found, place, now))))


def _record(found: "Status", place: str, now: datetime) -> JsonObject:
    from rankcast.language.declared_json import record_of

    return {
        "store": place,
        **record_of(found, "version", "published", "served", "served_version", "lag"),
        "lag_seconds": _waited(found, now),
        **record_of(found, "deliveries", "rejects", "unreadable", "set_aside"),
        "pipeline": None if found.pipeline is None else _pipeline_record(found.pipeline),
    }


def _pipeline_record(pipeline: "Pipeline") -> JsonObject:
    from rankcast.language import show_time
    from rankcast.store.schema import datetime_of

    times = {"claimed": pipeline.claimed, "committed": pipeline.committed}
    return pipeline._asdict() | {
        name: None if when is None else show_time(datetime_of(when)) for name, when in times.items()
    }


def _rows(found: "Status", place: str, now: datetime) -> Iterator[tuple[str, str]]:
    yield "store", place
    yield "catalog", f"version {found.version:,}"
    yield "published", counted(found.published, "event")
    yield "served", _served(found, now)
    yield "deliveries", f"{found.deliveries:,}"
    yield "rejects", f"{found.rejects:,}"
    if found.unreadable:
        what = counted(found.unreadable, "record")
        yield "left out", f"{what} of the catalog cannot be read; see rankcast rejects"
    yield "set aside", f"{found.set_aside:,}; see rankcast rejects --set-aside" if found.set_aside else "0"
    if found.pipeline is None:
        yield "pipeline", "none yet; start one with rankcast run"
    else:
        yield from _pipeline_rows(found.pipeline, now)


def _pipeline_rows(pipeline: "Pipeline", now: datetime) -> Iterator[tuple[str, str]]:
    from rankcast.store import SPARK
    from rankcast.store.schema import datetime_of

    kind = f"Spark, checkpoint {pipeline.place}" if pipeline.engine == SPARK else "in-process"
    yield "pipeline", f"{kind}; {counted(pipeline.shards, 'shard')}; started {_ago(datetime_of(pipeline.claimed), now)}"
    if pipeline.committed is None:
        yield "last batch", "none yet"
        return
    yield (
        "last batch",
        f"number {pipeline.last_batch:,}, {_ago(datetime_of(pipeline.committed), now)}; {pipeline.seconds:.2f} s",
    )
    counts = ((pipeline.matched, "matched"), (pipeline.delivered, "delivered"), (pipeline.late, "late"))
    listed = ", ".join(f"{count:,} {what}" for count, what in (*counts, (pipeline.rejected, "rejected")))
    yield "processed", f"{counted(pipeline.events, 'event')}: {listed}"
    yield "state", _size(pipeline.state_bytes)


def _served(found: "Status", now: datetime) -> str:
    if not found.lag:
        return "all of them" if found.published else "nothing to serve"
    return f"{found.served:,}; backlog {found.lag:,}, the oldest has waited {_span(_waited(found, now))}"


def _waited(found: "Status", now: datetime) -> float:
    return 0.0 if found.waiting_since is None else max(0.0, (now - found.waiting_since).total_seconds())


def _ago(then: datetime, now: datetime) -> str:
    return f"{_span(max(0.0, (now - then).total_seconds()))} ago"


def _span(seconds: float) -> str:
    """A duration for people.

    >>> _span(0.42), _span(59), _span(3600), _span(200_000)
    ('0.4 s', '59 s', '1h', '2d7h')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    from rankcast.language import show_duration

    whole = 60 if seconds < 86_400 else 3600
    return show_duration(timedelta(seconds=seconds // whole * whole))


def _size(amount: int) -> str:
    """A size in bytes for people.

    >>> _size(512), _size(20_000), _size(3_500_000)
    ('512 B', '20.0 kB', '3.5 MB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount} B"
