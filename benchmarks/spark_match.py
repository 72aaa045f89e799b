"""Matching on Spark: python benchmarks/spark_match.py [--subscriptions 50000] [--events 200000] [--workload a]

Prints the time to compile and send the index, and the events and matches per second of `rankcast.pipeline.spark.match`
on all cores, after one job that starts the workers. The peer is the index in this process, on one core.
"""

import argparse
import time
from datetime import UTC, datetime

import ours
import pyarrow as pa
import workloads

from rankcast.engine.index import IndexMatcher
from rankcast.model import Catalog, Event, Subscription
from rankcast.pipeline.spark import local_session, match

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def batch_columns(made: workloads.Workload) -> list[tuple[str, pa.Array]]:
    """The events by column, without dictionaries."""
    batch = ours.batch_of(made)
    return [
        (name, column.dictionary_decode() if pa.types.is_dictionary(column.type) else column)
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--subscriptions", type=int, default=50_000)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--workload", choices=["a", "b"], default="a")
    given = parser.parse_args()
    made = workloads.make(given.workload, given.subscriptions, given.events)
    catalog = Catalog(
        [
            Subscription(f"s{place}", f"user{place % 5_000}", ours.expression(made, place))
            for place in range(given.subscriptions)
        ]
    )
    spark = local_session(memory="4g")
    columns = dict(batch_columns(made))
    columns |= {"id": [f"e{row}" for row in range(given.events)], "time": pa.array([NOW] * given.events)}
    frame = spark.createDataFrame(pa.table(columns)).repartition(8).cache()
    print(f"{frame.count():,} events, {given.subscriptions:,} subscriptions, workload {given.workload}")
    started = time.perf_counter()
    job = match(frame, catalog)
    print(f"compiled in {time.perf_counter() - started:.1f} s")
    match(frame.limit(100), catalog).write.format("noop").mode("overwrite").save()
    started = time.perf_counter()
    job.write.format("noop").mode("overwrite").save()
    taken = time.perf_counter() - started
    print(f"on Spark: {taken:.1f} s, {given.events / taken:,.0f} events/s; {job.count():,} matches")
    spark.stop()
    some = min(given.events, 20_000)
    events = [
        Event(f"e{row}", NOW, {name: (value,) for name, value in workloads.event(made, row).items()})
        for row in range(some)
    ]
    matcher = IndexMatcher.of_catalog(list(catalog.subscriptions.values()), catalog)
    matcher.match_batch(events[:100])
    started = time.perf_counter()
    for start in range(0, some, 1_000):
        matcher.match_batch(events[start : start + 1_000])
    taken = time.perf_counter() - started
    print(f"in this process, one core: {some / taken:,.0f} events/s")


if __name__ == "__main__":
    main()
