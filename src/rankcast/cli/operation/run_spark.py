"""``rankcast run --engine spark``: run the streaming pipeline and show its progress."""

import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rankcast.cli.operation.run import RunOptions, stoppable
from rankcast.cli.output import Output
from rankcast.cli.sparks import silenced
from rankcast.errors import EnvironmentProblem, RankcastError
from rankcast.extras import require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from rankcast.pipeline.metrics import Metrics
    from rankcast.pipeline.spark.sinks import TaskSink
    from rankcast.store import Pipeline, Store

_POLL = 0.2
_AGAIN = 5
"""How often `--follow` restarts a pipeline after failures of the machine."""
_PATIENCE = 60.0
"""Seconds that the current micro-batch has to finish after a request to stop."""


def on_spark(store: "Store", place: str, wanted: RunOptions, metrics: "Metrics | None", out: Output) -> tuple[int, int]:
    """Serve with the streaming pipeline; return the number of events and of deliveries."""
    from rankcast.language import parse_duration

    places = (wanted.events or "", *(wanted.sink or ()))
    require("spark", *(["kafka"] if any(place.startswith("kafka:") for place in places) else []))
    checkpoint = wanted.checkpoint or _beside(store, place)
    lateness = None if wanted.lateness is None else parse_duration(wanted.lateness)
    if wanted.max_ahead is not None and wanted.events is None:
        raise typer.BadParameter(
            "--max-ahead needs --events; events in the store's log were checked when they were published"
        )
    if wanted.only_sinks and not wanted.sink:
        raise typer.BadParameter("--only-sinks needs --sink; otherwise the deliveries would go nowhere")
    max_ahead = parse_duration(wanted.max_ahead or "1h")
    interval = parse_duration(wanted.trigger)
    before = store.pipeline()
    with silenced():
        sinks = _sinks(wanted)
        with out.working("starting Spark"):
            spark = _session(wanted)
        from rankcast.pipeline.spark import serve_store
        from rankcast.pipeline.spark.failures import wait_for
        from rankcast.pipeline.spark.source_tables import MAX_EVENTS

        with stoppable() as stopped:
            start = partial(
                serve_store,
                spark,
                place,
                checkpoint,
                shards=wanted.shards,
                json=None if wanted.events is None else "json",
                sink=sinks,
                has_deliveries=not wanted.only_sinks,
                trigger=f"{interval.total_seconds() * 1000:.0f} milliseconds" if wanted.follow else None,
                max_events=wanted.max_events or MAX_EVENTS,
                start=wanted.start if wanted.events is None else None,
                lateness=lateness,
                max_ahead=max_ahead,
                close=wanted.close and not wanted.follow,
                is_locked=True,
            )
            query = start(events=_events(spark, store, wanted, checkpoint))
            if wanted.follow and not out.json:
                out.say("serving new events; stop with Ctrl-C")
            shown = _Shown(store, before, out)
            measured = _Measured(query, metrics)
            failures = 0
            try:
                while not stopped():
                    try:
                        if wait_for(query, _POLL, checkpoint):
                            break
                    except EnvironmentProblem as error:
                        # The machine is temporarily busy or full. Committed batches are not served again.
                        failures += 1
                        if not wanted.follow or failures > _AGAIN:
                            raise
                        out.say(f"{error}; retrying ({failures} of {_AGAIN})")
                        time.sleep(2.0**failures)
                        query = start(events=_events(spark, store, wanted, checkpoint))
                        measured = _Measured(query, metrics)
                    shown.look()
                    measured.look()
                if stopped():
                    _stop(query)
            except Exception as error:
                if stopped() and not isinstance(error, RankcastError):
                    # Service managers send SIGTERM to all processes at once, so Spark's JVM got it too.
                    out.say("Spark was stopped at the same time; the unfinished batch is served at the next start")
                    return shown.look()
                explained = _of_topic(error, wanted)
                if explained is None:
                    raise
                raise explained from error
            finally:
                with suppress(Exception):  # Spark may be gone; the earlier error is the one to report
                    if query.isActive:
                        query.stop()
            return shown.look()


class _Measured:
    """Forwards Spark's progress reports of each micro-batch to the metrics."""

    def __init__(self, query: "StreamingQuery", metrics: "Metrics | None") -> None:
        self._query = query
        self._metrics = metrics
        self._last = -1

    def look(self) -> None:
        """Forward new reports; Spark keeps the last hundred."""
        if self._metrics is None:
            return
        for progress in self._query.recentProgress:
            if progress["batchId"] > self._last:
                self._last = progress["batchId"]
                self._metrics.progress(progress.json)


def _of_topic(error: Exception, wanted: RunOptions) -> RankcastError | None:
    """The error as a problem of the Kafka topic, if it is one."""
    if wanted.events is None or isinstance(error, RankcastError):
        return None
    from rankcast.pipeline.spark.kafka import explain
    from rankcast.pipeline.topics import Topic

    return explain(error, Topic.of(wanted.events))


class _Shown:
    """Shows what the pipeline has done since this command started, batch by batch."""

    def __init__(self, store: "Store", before: "Pipeline | None", out: Output) -> None:
        self._store = store
        self._before = before
        self._out = out
        self._last = -1 if before is None else before.last_batch

    def look(self) -> tuple[int, int]:
        """Print new batches; return the number of events and deliveries so far."""
        now = self._store.pipeline()
        if now is None:
            return 0, 0
        known = self._before if self._before is not None and self._before.name == now.name else None
        events, delivered = now.events, now.delivered
        if known is not None:
            events, delivered = events - known.events, delivered - known.delivered
        elif now.last_batch < 0:
            return 0, 0
        if self._out.json and now.last_batch != self._last:
            self._out.record(
                {
                    "batch": now.last_batch,
                    "offset": self._store.progress().offset,
                    "events": events,
                    "delivered": delivered,
                    "late": now.late,
                    "rejected": now.rejected,
                    "seconds": round(now.seconds, 3),
                    "state_bytes": now.state_bytes,
                }
            )
            self._out.flush()
        self._last = now.last_batch
        return events, delivered


def _stop(query: "StreamingQuery") -> None:
    """Stop a query between two micro-batches, if it gets there in time."""
    deadline = time.monotonic() + _PATIENCE
    while query.isActive and query.status["isTriggerActive"] and time.monotonic() < deadline:
        time.sleep(0.01)
    query.stop()


def _session(wanted: RunOptions) -> "SparkSession":
    from rankcast.pipeline.spark import local_session

    settings: dict[str, str] = {}
    if wanted.events is not None:
        from rankcast.pipeline.spark.kafka import connector_settings

        settings = connector_settings()
    for setting in wanted.conf or ():
        name, is_set, value = setting.partition("=")
        if not is_set:
            raise typer.BadParameter(f"--conf takes NAME=VALUE, not {setting!r}")
        settings[name] = value
    if wanted.master is not None:
        settings["spark.master"] = wanted.master
    return local_session(settings=settings, is_light=True)


def _events(spark: "SparkSession", store: "Store", wanted: RunOptions, checkpoint: str) -> "DataFrame | None":
    if wanted.events is None:
        return None
    from rankcast.pipeline.spark.kafka import check_topic, knows_topic, read_topic
    from rankcast.pipeline.spark.source_tables import MAX_EVENTS
    from rankcast.pipeline.topics import Topic

    if isinstance(wanted.start, int):
        raise typer.BadParameter("--from-offset applies to the store's own log; use --from-time with --events")
    topic = Topic.of(wanted.events)
    before = store.pipeline()
    is_served = store.last_delivery() or (before is not None and before.delivered)  # maybe to other sinks alone
    if is_served and wanted.start is None and not knows_topic(spark, checkpoint):
        raise typer.BadParameter(
            "this store was served before, but the new checkpoint has no position in the topic; give one with "
            "--from-time TIME or --from-time earliest"
        )
    check_topic(spark, topic, checkpoint)
    return read_topic(spark, topic, wanted.start or "earliest", wanted.max_events or MAX_EVENTS)


def _sinks(wanted: RunOptions) -> "list[TaskSink]":
    from rankcast.pipeline.spark.sinks import sink_of
    from rankcast.pipeline.topics import Topic

    source = None if wanted.events is None else str(Topic.of(wanted.events))
    if source is not None and source in [
        str(Topic.of(name)) for name in wanted.sink or () if name.startswith("kafka:")
    ]:
        raise typer.BadParameter(f"deliveries cannot go to {source}, because the events come from there")
    sinks = [sink_of(name) for name in wanted.sink or ()]
    for url in (wanted.events, *(wanted.sink or ())):
        if url is not None and url.startswith("kafka:"):
            Topic.of(url).found()  # a refusal is told now, before Spark starts and anything is read or written
    return sinks


def _beside(store: "Store", place: str) -> str:
    """The default folder for a checkpoint: the one recorded in the store, else one next to the store file."""
    known = store.pipeline()
    if known is not None and known.place:
        return known.place
    if "://" in place:
        raise EnvironmentProblem("a store in a database has no folder next to it; choose one with --checkpoint FOLDER")
    return str(Path(place).absolute().with_suffix(".checkpoint"))
