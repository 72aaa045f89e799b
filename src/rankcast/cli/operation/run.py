"""``rankcast run``: serve published events."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rankcast.cli.options import DEFAULT_STORE, MOST_ROWS, Json, StorePath, bounded, duration, with_options
from rankcast.cli.output import Output
from rankcast.engine.choice import Engine
from rankcast.wording import counted

if TYPE_CHECKING:
    from rankcast.pipeline.local import CommittedBatch, LocalPipeline
    from rankcast.pipeline.metrics import Metrics
    from rankcast.store import Store

_POLL = 0.5
_PREPARING = 10.0
"""Seconds in which a start compares the subscriptions of users who have many, so that the first event does not wait."""


class RunOptions(NamedTuple):
    """The options of the command that say how to serve. Those after `trigger` are for Spark alone."""

    follow: Annotated[
        bool,
        typer.Option("--follow/--once", help="Wait for new events until Ctrl-C, or serve pending events and exit."),
    ] = False
    shards: Annotated[
        int | None, typer.Option(min=1, max=1024, metavar="N", help="Number of shards to divide the users among.")
    ] = None
    close: Annotated[bool, typer.Option("--close", help="Close unfinished periods at the end, as a replay does.")] = (
        False
    )
    max_events: Annotated[
        int | None,
        bounded(
            1,
            MOST_ROWS,
            "--max-events-per-batch",
            metavar="N",
            help="Maximum number of events in a batch; by default 5,000, with Spark 50,000.",
        ),
    ] = None
    trigger: Annotated[
        str, duration(metavar="INTERVAL", help="Spark: how often to check for new events with --follow.")
    ] = "200ms"
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Spark: folder for progress and state; by default next to the store."),
    ] = None
    from_offset: Annotated[
        int | None,
        bounded(
            0, MOST_ROWS, metavar="N", help="Spark, new checkpoint: start after this offset of the log, without state."
        ),
    ] = None
    from_time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Spark, new checkpoint: start at this publication time."),
    ] = None
    lateness: Annotated[
        str | None,
        duration(
            is_distance=True,
            metavar="TIME",
            help="Spark: reject events that are further behind the newest event than this.",
        ),
    ] = None
    max_ahead: Annotated[
        str | None,
        duration(
            is_distance=True,
            metavar="TIME",
            help="Spark, with --events: reject events dated further ahead of the clock than this; 1h by default.",
        ),
    ] = None
    events: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Spark: read events from kafka://host:port/topic instead of the store's log."),
    ] = None
    sink: Annotated[
        list[str] | None,
        typer.Option(
            "--sink",
            metavar="SINK",
            help="Spark: also write deliveries to console, jsonl:FOLDER, parquet:FOLDER, table:FORMAT?OPTION=VALUE or "
            "kafka://host:port/topic. May be repeated.",
        ),
    ] = None
    only_sinks: Annotated[
        bool, typer.Option("--only-sinks", help="Spark, with --sink: write no deliveries to the store.")
    ] = False
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Spark: master URL; by default all cores of this machine."),
    ] = None
    conf: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Spark: session setting. May be repeated.")
    ] = None

    @property
    def start(self) -> int | str | None:
        """Where in the events a new pipeline on Spark begins: an offset, or a time."""
        return self.from_time if self.from_offset is None else self.from_offset

    def refuse_spark(self) -> None:
        """Refuse what only a pipeline on Spark can do."""
        for name in self._fields[self._fields.index("trigger") + 1 :]:
            if getattr(self, name) not in (self._field_defaults[name], []):
                raise typer.BadParameter(f"--{name.replace('_', '-')} needs --engine spark")


@with_options(RunOptions)
def run(
    engine: Annotated[
        Engine | None,
        typer.Option(help="Run in this process or as a streaming pipeline on Spark; by default as in the last run."),
    ] = None,
    *,
    options: RunOptions,
    metrics_port: Annotated[
        int | None, typer.Option(min=1, max=65535, metavar="PORT", help="Expose Prometheus metrics on this port.")
    ] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Serve the events published since the last run: match, rank, choose, deliver.

    Each batch is committed as a whole, so nothing is lost or delivered twice if the command is stopped or killed.
    The first run sets the number of shards; change it with rankcast state repartition.

    Example:

      rankcast run
      rankcast run --follow
      rankcast run --engine spark --follow
    """
    from rankcast.store import SPARK, Store
    from rankcast.store.store_lock import StoreLock

    out = Output(json)
    with Store.open(store) as opened, StoreLock(opened), _metrics(opened, metrics_port, out) as metrics:
        known = opened.pipeline()
        chosen = engine or (Engine.SPARK if known is not None and known.engine == SPARK else Engine.LOCAL)
        if chosen not in (Engine.LOCAL, Engine.SPARK):
            raise typer.BadParameter(f"a store is served by --engine local or --engine spark, not by {chosen.value}")
        if chosen is Engine.LOCAL:
            options.refuse_spark()
            done = _in_process(opened, options, metrics, out)
        else:
            from rankcast.cli.operation.run_spark import on_spark

            if options.from_offset is not None and options.from_time is not None:
                raise typer.BadParameter("give --from-offset or --from-time, not both")
            done = ServedCounts(*on_spark(opened, store, options, metrics, out))
    out.say(f"served {counted(done.events, 'event')}; {counted(done.deliveries, 'delivery')}")
    if done.waiting:
        out.say(done.waiting)


class ServedCounts(NamedTuple):
    """The number of events and of deliveries, and a sentence about what waits."""

    events: int
    deliveries: int
    waiting: str = ""


@contextmanager
def _metrics(store: "Store", port: int | None, out: Output) -> "Iterator[Metrics | None]":
    """The metrics of the store, exposed on a port if one is given."""
    if port is None:
        yield None
        return
    from rankcast.pipeline.metrics import Metrics

    metrics = Metrics(store)
    with metrics.listening(port) as at:
        out.say(f"metrics at http://127.0.0.1:{at}/metrics")
        yield metrics


def _in_process(store: "Store", options: RunOptions, metrics: "Metrics | None", out: Output) -> "ServedCounts":
    """Serve in this process."""
    follow = options.follow
    served = delivered = 0
    from rankcast.engine.choice import LIVE_BATCH
    from rankcast.pipeline.local import LocalPipeline

    with stoppable() as stopped:
        server = LocalPipeline(
            store, _shards(store, options.shards), options.max_events or 5_000, LIVE_BATCH if follow else 0
        )
        if follow and not out.json:
            out.say("serving new events; stop with Ctrl-C")
        if follow:
            server.load()  # a period may end before anything is published
            _prepare(server, _PREPARING, stopped)
        while True:
            began = time.monotonic()
            for done in _serve(store, server, options.close and (not follow or stopped()), follow, out, stopped):
                served += done.events
                delivered += done.delivered
                if done.set_aside:
                    out.say(f"{counted(done.set_aside, 'failure')} set aside; see: rankcast rejects --set-aside")
                if metrics is not None:
                    metrics.batch(time.monotonic() - began)
                began = time.monotonic()
            if not follow or stopped():
                server.save()
                return ServedCounts(served, delivered, _waiting(server))
            server.save(is_idle=True)
            time.sleep(max(0.0, _POLL - _prepare(server, _POLL, stopped)))


def _prepare(server: "LocalPipeline", seconds: float, stopped: Callable[[], bool]) -> float:
    """Do in advance what the next event would wait for, for some seconds at most; returns how many it took."""
    begun = time.monotonic()
    server.prepare(lambda: stopped() or time.monotonic() - begun >= seconds)
    return time.monotonic() - begun


def _waiting(server: "LocalPipeline") -> str:
    """What waits for the end of its period, and until when; empty if nothing does."""
    from rankcast.language import show_time

    candidates, users = server.waiting()
    if not candidates:
        return ""
    until = "" if server.due is None else f", the first until {show_time(server.due)}"
    verb = "waits" if candidates == 1 else "wait"
    said = f"{counted(candidates, 'candidate')} of {counted(users, 'user')} {verb} for the end of a period{until}"
    return f"{said}; end all periods now with: rankcast run --close"


def _shards(store: "Store", wanted: int | None) -> int:
    """The number of shards of the delivery state."""
    present = store.progress().shards
    if present and wanted not in (None, present):
        raise typer.BadParameter(
            f"the delivery state of this store is in {present} shards; change that with: "
            f"rankcast state repartition --shards {wanted}"
        )
    return present or wanted or 1


def _serve(
    store: "Store", server: "LocalPipeline", close: bool, follow: bool, out: Output, stopped: Callable[[], bool]
) -> "Iterator[CommittedBatch]":
    """Serve everything pending, batch by batch; when following, also end periods by the clock."""
    pending = store.last_offset() - store.progress().offset
    if pending or close:
        with out.progress("serving", pending) as advance:
            for done in server.serve(close):
                advance(done.events)
                _record(done, out)
                yield done
                if stopped():
                    return
    ended = server.advance() if follow else None
    if ended is not None:
        _record(ended, out)
        yield ended


def _record(done: "CommittedBatch", out: Output) -> None:
    if out.json:
        counts = {"events": done.events, "delivered": done.delivered, "set_aside": done.set_aside}
        out.record({"offset": done.offset, **counts})
        out.flush()


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Let the current batch finish after Ctrl-C or SIGTERM; a second Ctrl-C stops at once."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
