"""Deliveries to a topic of a real broker."""

import json
from dataclasses import asdict
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.language import decode_delivery
from rankcast.model import Delivery
from rankcast.spark import kafka_sink
from rankcast.spark.kafka_sink import KafkaSink, kafka_rows
from rankcast.spark.live.frames import DELIVERY
from rankcast.spark.live.reports import Report
from rankcast.spark.sinks import Made
from rankcast.topics import Topic

pytestmark = pytest.mark.xdist_group("spark")  # where the one broker is

NOON = datetime(2026, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def delivery(number: int) -> Delivery:
    return Delivery(f"user{number % 3}", f"e{number}", number, 0.5, ("s1", "s2"), NOON, NOON, number)


def table(*numbers: int) -> pa.Table:
    rows = [asdict(delivery(number)) for number in numbers]
    return pa.Table.from_pylist([{name: row[name] for name in DELIVERY.names} for row in rows], DELIVERY)


def made(batch: int, *numbers: int, pipeline: str = "p1") -> Made:
    return Made(batch, table(*numbers), [Report(pipeline, 0, None, None, 1, 1, 1, 0, [], 0, 0, 0.1, 10)])


def topic(kafka, name: str) -> Topic:
    kafka.create(name, partitions=2)
    return Topic(kafka.address, name)


def found(kafka, name: str) -> list[Delivery]:
    messages = kafka.messages(name)
    deliveries = [decode_delivery(json.loads(value)) for _, value in messages]
    assert [key.decode() for key, _ in messages] == [each.user for each in deliveries]
    return sorted(deliveries, key=lambda each: each.seq)


def test_a_batch_that_comes_again_is_written_once(kafka):
    sink = KafkaSink(topic(kafka, "again"))
    sink(made(0, 1, 2, 3))
    sink(made(0, 1, 2, 3))
    kafka_sink._producers.clear()  # as in a process that starts after a crash
    sink(made(0, 1, 2, 3))
    sink(made(1))
    sink(made(2, 4))
    assert found(kafka, "again") == [delivery(number) for number in (1, 2, 3, 4)]


def test_of_a_batch_that_was_cut_off_nothing_is_seen(kafka, monkeypatch):
    sink = KafkaSink(topic(kafka, "cut-off"))
    sink(made(0, 1))

    class Killed(Exception):
        pass

    with monkeypatch.context() as broken:
        send = KafkaSink._send

        def send_and_die(self, producer, row):
            send(self, producer, row)
            producer.flush()
            raise Killed

        broken.setattr(KafkaSink, "_send", send_and_die)
        with pytest.raises(Killed):
            sink(made(1, 2, 3))
    kafka_sink._producers.clear()
    sink(made(1, 2, 3))
    assert found(kafka, "cut-off") == [delivery(number) for number in (1, 2, 3)]


def test_a_second_process_of_the_same_pipeline_shuts_the_first_out(kafka):
    sink = KafkaSink(topic(kafka, "two"))
    sink(made(0, 1))
    first = dict(kafka_sink._producers)
    kafka_sink._producers.clear()
    sink(made(1, 2))
    kafka_sink._producers.clear()
    kafka_sink._producers.update(first)
    with pytest.raises(StoreError, match=r"another process of the same pipeline writes to kafka://.*/two"):
        sink(made(2, 3))
    assert found(kafka, "two") == [delivery(1), delivery(2)]


def test_two_pipelines_may_share_a_topic(kafka):
    sink = KafkaSink(topic(kafka, "shared"))
    sink(made(0, 1, pipeline="p1"))
    sink(made(0, 2, pipeline="p2"))
    assert found(kafka, "shared") == [delivery(1), delivery(2)]


def test_a_missing_topic_is_an_error(kafka):
    with pytest.raises(EnvironmentProblem, match="no topic 'nowhere'"):
        KafkaSink(Topic(kafka.address, "nowhere"))(made(0, 1))


def test_rows_for_the_connector_of_spark(kafka, spark):
    place = topic(kafka, "rows")
    frame = spark.createDataFrame(table(1, 2))
    rows = kafka_rows(frame).write.format("kafka").option("kafka.bootstrap.servers", place.servers)
    rows.option("topic", place.name).save()
    assert found(kafka, "rows") == [delivery(1), delivery(2)]
