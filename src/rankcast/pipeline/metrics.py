"""Metrics of a store and its pipeline for Prometheus.

Most metrics are computed from the store, so any process that can open the store can expose them: the pipeline, or the
service beside it. Some are known only to the pipeline's own process, such as the duration of each batch and the lag
behind a topic. They come through `Metrics.progress`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.store import Pipeline, Store
from rankcast.store.status import status

_BATCH_SECONDS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)

_COUNTS = {
    "events": "Events that the pipeline has taken up",
    "matched": "Pairs of an event and a subscription that it matches",
    "delivered": "Deliveries that the pipeline has written",
    "late": "Events that came after the end of their period",
    "rejected": "Events that the pipeline could not use",
}


class Metrics:
    """The metrics of one store, in their own registry. Thread-safe.

    The counters belong to the pipeline that currently serves the store. They restart at zero when another pipeline
    takes over, which Prometheus treats as a restart. If the store cannot be read, ``rankcast_store_up`` is 0 and no
    error is raised. Cost of a scrape: a few small queries, none over a whole table.
    """

    content_type = CONTENT_TYPE_LATEST

    def __init__(self, store: Store) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_OfStore(store))
        self._seconds = Histogram(
            "rankcast_batch_seconds", "How long batches took", buckets=_BATCH_SECONDS, registry=self.registry
        )
        self._behind: Gauge | None = None

    def batch(self, seconds: float) -> None:
        """Record the duration of a batch in seconds."""
        self._seconds.observe(seconds)

    def progress(self, progress: str | Mapping[str, Any]) -> None:
        """Record Spark's report of a micro-batch: a `StreamingQueryProgress` as JSON, or decoded."""
        told = json.loads(progress) if isinstance(progress, str) else progress
        if told.get("numInputRows", 0) or told.get("batchDuration", 0) > 0:
            self.batch(told.get("batchDuration", 0) / 1000)
        behind = [
            float(source["metrics"]["maxOffsetsBehindLatest"])
            for source in told.get("sources", ())
            if "maxOffsetsBehindLatest" in (source.get("metrics") or {})
        ]
        if behind:
            if self._behind is None:
                self._behind = Gauge(
                    "rankcast_topic_lag_events",
                    "How many messages the fullest partition of the topic is ahead of the pipeline",
                    registry=self.registry,
                )
            self._behind.set(max(behind))

    def text(self) -> bytes:
        """All metrics in the text format of Prometheus. `content_type` is its media type."""
        return generate_latest(self.registry)

    @contextmanager
    def listening(self, port: int, host: str = "127.0.0.1") -> Iterator[int]:
        """Serve the metrics at a port (0 for any free one) while in the block. Yields the port.

        There is no authentication, so it listens on loopback by default.
        """
        try:
            server, thread = start_http_server(port, host, self.registry)
        except OSError as error:
            raise EnvironmentProblem(
                f"metrics cannot be shown at {host}:{port}: {error.strerror}; choose another port"
            ) from None
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _OfStore(Collector):
    """The metrics computed from the store on each scrape."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def describe(self) -> Iterable[Metric]:
        """Describe nothing in advance, so that registering does not query the store."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The current metrics."""
        try:
            found = list(self._metrics())
        except StoreError:
            found = []
        yield GaugeMetricFamily("rankcast_store_up", "Whether the store can be read", value=float(bool(found)))
        yield from found

    def _metrics(self) -> Iterator[Metric]:
        now = status(self._store.database)
        waited = (
            0.0 if now.waiting_since is None else (self._store.database.clock() - now.waiting_since).total_seconds()
        )
        yield CounterMetricFamily("rankcast_store_events", "Events in the log of the store", value=now.published)
        yield CounterMetricFamily("rankcast_store_deliveries", "Deliveries in the store", value=now.deliveries)
        yield CounterMetricFamily(
            "rankcast_store_rejects", "Rejects in the store, of whatever came in", value=now.rejects
        )
        yield GaugeMetricFamily(
            "rankcast_set_aside", "What could not be served, and was not served again since", value=now.set_aside
        )
        yield GaugeMetricFamily("rankcast_lag_events", "Events of the log not yet served", value=now.lag)
        yield GaugeMetricFamily(
            "rankcast_lag_seconds", "For how long the first of them has waited", value=max(0.0, waited)
        )
        yield GaugeMetricFamily("rankcast_catalog_version", "The newest version of the catalog", value=now.version)
        if now.pipeline is not None:
            yield from _of_pipeline(now.pipeline)


def _of_pipeline(pipeline: Pipeline) -> Iterator[Metric]:
    about = {"engine": pipeline.engine, "name": pipeline.name}
    yield InfoMetricFamily("rankcast_pipeline", "The pipeline that serves the store", value=about)
    for name, meaning in _COUNTS.items():
        yield CounterMetricFamily(f"rankcast_{name}", meaning, value=getattr(pipeline, name))
    yield GaugeMetricFamily("rankcast_shards", "Among how many shards the users are divided", value=pipeline.shards)
    yield GaugeMetricFamily("rankcast_state_bytes", "Size of the delivery state", value=pipeline.state_bytes)
    yield GaugeMetricFamily(
        "rankcast_last_batch_seconds", "What the last batch took in the slowest shard", value=pipeline.seconds
    )
    if pipeline.committed is not None:
        yield GaugeMetricFamily(
            "rankcast_last_commit_timestamp_seconds",
            "When the last batch was committed",
            value=pipeline.committed / 1e6,
        )
