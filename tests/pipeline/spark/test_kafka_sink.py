"""Deliveries to a topic of a real broker."""

import json

import pytest
from shard_parts import delivery, made, send, table

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.language import decode_delivery
from rankcast.model import Delivery
from rankcast.pipeline.spark import kafka_sink
from rankcast.pipeline.spark.kafka_sink import KafkaSink, kafka_rows
from rankcast.pipeline.spark.sinks import lines_of
from rankcast.pipeline.topics import Topic

pytestmark = pytest.mark.xdist_group("spark")  # where the one broker is


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
    send(sink, made(0, 1, 2, 3))
    send(sink, made(0, 1, 2, 3))
    kafka_sink._writers.clear()  # as in a process that starts after a crash
    send(sink, made(0, 1, 2, 3))
    send(sink, made(1))
    send(sink, made(2, 4))
    assert found(kafka, "again") == [delivery(number) for number in (1, 2, 3, 4)]


def test_of_a_batch_that_was_cut_off_nothing_is_seen(kafka, monkeypatch):
    sink = KafkaSink(topic(kafka, "cut-off"))
    send(sink, made(0, 1))

    class Killed(Exception):
        pass

    with monkeypatch.context() as broken:
        send_one = KafkaSink._send

        def send_and_die(self, producer, *rest):
            send_one(self, producer, *rest)
            producer.flush()
            raise Killed

        broken.setattr(KafkaSink, "_send", send_and_die)
        with pytest.raises(Killed):
            send(sink, made(1, 2, 3))
    kafka_sink._writers.clear()
    send(sink, made(1, 2, 3))
    assert found(kafka, "cut-off") == [delivery(number) for number in (1, 2, 3)]


def test_two_processes_of_the_same_shard_shut_each_other_out_and_repeat_nothing(kafka):
    sink = KafkaSink(topic(kafka, "two"))
    send(sink, made(0, 1, 2, 3))
    first = dict(kafka_sink._writers)
    kafka_sink._writers.clear()  # Spark gives the shards to another Python process
    send(sink, made(1, 4, 5, 6))
    second = dict(kafka_sink._writers)
    kafka_sink._writers.update(first)
    send(sink, made(2, 7, 8, 9))  # and back
    kafka_sink._writers.update(second)
    send(sink, made(2, 7, 8, 9))  # a task that was given up comes too late
    kafka_sink._writers.clear()
    send(sink, made(1, 4, 5, 6))
    assert found(kafka, "two") == [delivery(number) for number in range(1, 10)]


def test_one_note_of_all_shards_by_the_release_before_is_taken(kafka, monkeypatch):
    sink = KafkaSink(topic(kafka, "one-note"))
    with monkeypatch.context() as earlier:
        earlier.setattr(kafka_sink, "_writer_name", lambda one: one.pipeline)
        send(sink, made(0, 1, 2, 3), shards=1)
    kafka_sink._writers.clear()
    send(sink, made(0, 1, 2, 3))
    send(sink, made(1, 4, 5))
    assert found(kafka, "one-note") == [delivery(number) for number in range(1, 6)]


def test_batches_cut_anew_are_neither_skipped_nor_repeated(kafka):
    sink = KafkaSink(topic(kafka, "anew"))
    for number in range(1, 7):
        send(sink, made(number, number))
    send(sink, made(7, 90, after=6, up_to=6))  # a period that ended by the clock
    kafka_sink._writers.clear()  # the checkpoint is put back to position 2, and batch 3 is larger than before
    send(sink, made(3, 3, 4, 5))
    send(sink, made(4, 6))
    kafka_sink._writers.clear()
    send(sink, made(5, 90, after=6, up_to=6))
    send(sink, made(6, 91, after=6, up_to=6))
    send(sink, made(7, 7, 8))
    send(sink, made(8, 9))
    assert found(kafka, "anew") == [delivery(number) for number in (*range(1, 10), 90, 91)]


def test_a_batch_with_the_same_range_and_other_deliveries_is_written(kafka):
    sink = KafkaSink(topic(kafka, "same-range"))
    send(sink, made(0, 1, 2))
    kafka_sink._writers.clear()
    send(sink, made(0, 1, 3, after=0, up_to=2))  # the store was put back too, and other events were published
    assert found(kafka, "same-range") == [delivery(1), delivery(2), delivery(3)]


def test_what_the_version_before_wrote_is_not_repeated(kafka):
    from confluent_kafka import TopicPartition

    sink = KafkaSink(topic(kafka, "before"))
    kafka.send("before", *lines_of(table(1, 2)))
    consumer = sink._consumer("rankcast-p1")
    consumer.commit(offsets=[TopicPartition("before", 0, 1)], asynchronous=False)  # that was batch 0
    consumer.close()
    send(sink, made(0, 1, 2))
    send(sink, made(1, 3))
    values = sorted(json.loads(value)["seq"] for _, value in kafka.messages("before"))
    assert values == [1, 2, 3]


def test_a_topic_has_the_deliveries_of_one_store(kafka):
    sink = KafkaSink(topic(kafka, "owned"))
    send(sink, made(0, 1, store=1))
    with pytest.raises(StoreError, match=r"kafka://.*/owned has the deliveries of another store; give .* a topic"):
        send(sink, made(0, 2, pipeline="p2", store=2))
    assert found(kafka, "owned") == [delivery(1)]


def test_two_pipelines_may_share_a_topic(kafka):
    sink = KafkaSink(topic(kafka, "shared"))
    send(sink, made(0, 1, pipeline="p1"))
    send(sink, made(0, 2, pipeline="p2"))
    assert found(kafka, "shared") == [delivery(1), delivery(2)]


def test_a_missing_topic_is_an_error(kafka):
    with pytest.raises(EnvironmentProblem, match="no topic 'nowhere'"):
        send(KafkaSink(Topic(kafka.address, "nowhere")), made(0, 1))


def test_rows_for_the_connector_of_spark(kafka, spark):
    place = topic(kafka, "rows")
    frame = spark.createDataFrame(table(1, 2))
    rows = kafka_rows(frame).write.format("kafka").option("kafka.bootstrap.servers", place.servers)
    rows.option("topic", place.name).save()
    assert found(kafka, "rows") == [delivery(1), delivery(2)]
