"""Micro-batches for sinks: as the shards write them in their tasks, and the driver publishes them."""

from dataclasses import asdict, replace
from datetime import UTC, datetime

import pyarrow as pa

from rankcast.model import Delivery
from rankcast.pipeline.spark.live.frames import DELIVERY, stream_of
from rankcast.pipeline.spark.live.reports import ShardReport, encode_report
from rankcast.pipeline.spark.sinks import MicroBatchResult, ShardPart, TaskSink

NOON = datetime(2026, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def delivery(number: int) -> Delivery:
    return Delivery(f"user{number % 3}", f"e{number}", number, 0.5, ("s1", "s2"), NOON, NOON, number)


def table(*numbers: int) -> pa.Table:
    rows = [asdict(delivery(number)) for number in numbers]
    return pa.Table.from_pylist([{name: row[name] for name in DELIVERY.names} for row in rows], DELIVERY)


def made(batch: int, *numbers: int, pipeline: str = "p1", after=None, up_to=None, store: int = 1) -> MicroBatchResult:
    """A micro-batch with the deliveries of these events, whose numbers are their positions."""
    first, last = (min(numbers), max(numbers)) if numbers else (1, 0)
    after, up_to = first - 1 if after is None else after, last if up_to is None else up_to
    report = ShardReport(pipeline, 0, None, None, 1, 1, 1, 0, [], 0, 0, 0.1, 10, after, up_to)
    return MicroBatchResult(batch, table(*numbers), [report], store)


def parts(whole: MicroBatchResult, shards: int = 2) -> list[ShardPart]:
    """The parts of the shards."""
    of_shard = [[] for _ in range(shards)]
    for place, user in enumerate(whole.deliveries["user"].to_pylist()):
        of_shard[int(user[-1]) % shards].append(place)
    streams = [stream_of(whole.deliveries.take(pa.array(places, pa.int64()))) for places in of_shard]
    report = whole.reports[0]
    reports = [encode_report(ShardReport(**{**_fields(report), "shard": number})) for number in range(shards)]
    return [ShardPart(*both, whole.batch, whole.store) for both in zip(streams, reports, strict=True)]


def _fields(report: ShardReport) -> dict[str, object]:
    return {name: getattr(report, name) for name in report.__struct_fields__}


def send(sink: TaskSink, whole: MicroBatchResult, shards: int = 2) -> None:
    """What Spark does with a micro-batch."""
    receipts = [sink.write(part) for part in parts(whole, shards) if part.count]
    sink.publish(replace(whole, deliveries=DELIVERY.empty_table()), receipts)
