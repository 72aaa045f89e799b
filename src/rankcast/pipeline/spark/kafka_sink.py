"""Kafka as a sink: one message per delivery, with the user as the message key.

There are two ways, with two guarantees:

- `KafkaSink`, for a pipeline over a store: each shard writes its part of a micro-batch in its task, as one Kafka
  transaction, which also records the position of the shard. A part that is repeated after a crash is not written again. If a checkpoint was restored
  from a backup and the ranges differ, only the deliveries that the topic lacks are sent. So a consumer with
  ``isolation.level=read_committed`` sees every delivery exactly once. This holds as long as the broker remembers the
  position (``offsets.retention.minutes``, 7 days by default, counted from when the pipeline stops). After that, a
  restart may repeat one micro-batch.
- `kafka_rows`, a step for Spark's own connector (``writeStream.format("kafka")``), which has no transactions: at
  least once. Each event is delivered to a user only once, so a consumer can drop duplicates by (user, event).
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.pipeline.spark.repeats import Pair, SinkProgress, pairs_of, unsent
from rankcast.pipeline.spark.sinks import MicroBatchResult, ShardPart, TaskSink, lines_of
from rankcast.pipeline.topics import Topic
from rankcast.plain import JsonObject

_PATIENCE = 30.0
_ORIGIN = "rankcast"
"""The message header with the pipeline and the range of the message."""
_OWNER = "rankcast-store"
"""The consumer group under which the broker stores which store owns the topic."""


def kafka_rows(deliveries: DataFrame) -> DataFrame:
    """Deliveries in the form of Spark's connector.

    `key` is the user, and `value` is the delivery as JSON (semantics: Files).
    """
    times = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSX", "timeZone": "UTC"}
    return deliveries.select(
        f.col("user").alias("key"), f.to_json(f.struct(*deliveries.columns), options=times).alias("value")
    )


class _Noted(msgspec.Struct, frozen=True):
    """The position of a pipeline as the broker stores it: the end of its furthest range, and its last micro-batch.

    `unnamed` is the number of the last micro-batch of a release that stored only numbers; -1 if there is none.
    """

    reached: int = -1
    last: tuple[int, int, str] | None = None
    unnamed: int = -1


@dataclass(frozen=True)
class KafkaSink(TaskSink):
    """Writes the deliveries of each shard and micro-batch to an existing topic, in one transaction.

    A topic holds the deliveries of one store. Successive pipelines of the same store may write to it.
    """

    topic: Topic

    def write(self, part: ShardPart) -> bytes:
        """Write the deliveries that the topic does not have yet."""
        from confluent_kafka import KafkaException

        made = part.result
        try:
            try:
                self._add(made, _writers.pop(self._key(made), None))
            except KafkaException as error:
                if not _is_fenced(error):
                    raise
                # Spark gave the shard to another of its Python processes meanwhile, or repeats the task.
                self._add(made, None)
        except KafkaException as error:
            raise self._failure(error, made.batch) from error
        return b""

    def _key(self, made: MicroBatchResult) -> tuple[str, str]:
        return str(self.topic), _writer_name(made)

    def _add(self, made: MicroBatchResult, writer: "_Writer | None") -> None:
        """Write with a producer of this process, or a new one. After any failure, the next attempt asks the broker."""
        writer = writer or self._started(made)
        noted = writer.noted
        if noted.last != _identity(made):
            fresh = unsent(made.deliveries, writer.progress.sent(made, lambda: self._sent(made)))
            noted = _Noted(max(noted.reached, made.up_to), _identity(made))
            self._write(writer, made, fresh, noted)
            writer.progress.wrote(made)
        _writers[self._key(made)] = replace(writer, noted=noted, owns_topic=True)

    def _write(self, writer: "_Writer", made: MicroBatchResult, deliveries: pa.Table, noted: _Noted) -> None:
        from confluent_kafka import KafkaException

        producer = writer.producer
        producer.begin_transaction()
        try:
            origin = f"{made.pipeline} {made.after} {made.up_to}".encode()
            for user, line in zip(deliveries["user"].to_pylist(), lines_of(deliveries), strict=True):
                self._send(producer, user, line, origin)
            last = msgspec.json.encode(noted.last).decode()
            self._note(producer, _group(_writer_name(made)), noted.reached, last)
            if not writer.owns_topic:
                self._note(producer, _OWNER, 0, str(made.store))
            producer.commit_transaction(_PATIENCE)
        except KafkaException as error:
            if error.args[0].txn_requires_abort():
                producer.abort_transaction(_PATIENCE)
            raise

    def _send(self, producer: Any, user: str, line: str, origin: bytes) -> None:
        while True:
            try:
                producer.produce(self.topic.name, line.encode(), user.encode(), headers=[(_ORIGIN, origin)])
                return
            except BufferError:
                producer.poll(0.1)

    def _note(self, producer: Any, group: str, position: int, text: str) -> None:
        """Store a number and a text in the broker, as the offset of a consumer group in the first partition."""
        from confluent_kafka import TopicPartition

        consumer = self._consumer(group)
        try:
            place = TopicPartition(self.topic.name, 0, position, text)
            producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), _PATIENCE)
        finally:
            consumer.close()

    def _read_note(self, group: str) -> tuple[int, str] | None:
        """The number and the text stored in the broker; None if there are none."""
        from confluent_kafka import KafkaError, KafkaException, TopicPartition

        # A broker that has just started may not know its group coordinators yet.
        passing = (
            KafkaError.NOT_COORDINATOR,
            KafkaError.COORDINATOR_NOT_AVAILABLE,
            KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        )
        deadline = time.monotonic() + _PATIENCE
        consumer = self._consumer(group)
        try:
            while True:
                try:
                    (place,) = consumer.committed([TopicPartition(self.topic.name, 0)], timeout=_PATIENCE)
                    return None if place.offset < 0 else (int(place.offset), place.metadata or "")
                except KafkaException as error:
                    if error.args[0].code() not in passing or time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)
        finally:
            consumer.close()

    def _started(self, made: MicroBatchResult) -> "_Writer":
        """Start a producer that fences off any other of the same shard, such as that of a task that is run again."""
        from confluent_kafka import Producer

        self.topic.found()
        owner = self._read_note(_OWNER)
        if owner is not None and owner[1] != str(made.store):
            raise StoreError(
                f"the topic {self.topic} has the deliveries of another store; give the deliveries of this one a topic of their own"
            )
        settings = {"transactional.id": f"rankcast-{_writer_name(made)}", "partitioner": "murmur2_random"}
        producer = Producer({**self._settings(), **settings})
        producer.init_transactions(_PATIENCE)
        noted = self._noted(made)
        return _Writer(producer, noted, SinkProgress(noted.reached, noted.unnamed), owner is not None)

    def _noted(self, made: MicroBatchResult) -> _Noted:
        # Earlier releases had one note for all shards, and before that only a number.
        for name in (_writer_name(made), made.pipeline):
            found = self._read_note(_group(name))
            if found is not None:
                return _Noted(found[0], msgspec.json.decode(found[1], type=tuple[int, int, str]))
        earlier = self._read_note(f"rankcast-{made.pipeline}")
        return _Noted() if earlier is None else _Noted(unnamed=earlier[0] - 1)

    def _sent(self, made: MicroBatchResult) -> set[Pair]:
        """The deliveries of the pipeline that the topic has from a range onwards. Reads the topic once."""
        from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition

        sent: set[Pair] = set()
        consumer = self._consumer(
            _group(_writer_name(made)), {"isolation.level": "read_committed", "enable.partition.eof": True}
        )
        try:
            partitions = consumer.list_topics(self.topic.name, timeout=_PATIENCE).topics[self.topic.name].partitions
            consumer.assign([TopicPartition(self.topic.name, number, OFFSET_BEGINNING) for number in partitions])
            unread = set(partitions)
            while unread:
                message = consumer.poll(_PATIENCE)
                if message is None:
                    raise EnvironmentProblem(
                        f"{self.topic} cannot be read within {_PATIENCE:g} s; is the broker there?"
                    )
                if message.error() is not None:
                    if message.error().code() != KafkaError._PARTITION_EOF:
                        raise KafkaException(message.error())
                    unread.discard(message.partition())
                elif _is_of(message.headers(), made):
                    found = _pair(message.value())
                    if found is not None:
                        sent.add(found)
        finally:
            consumer.close()
        return sent

    def _consumer(self, group: str, settings: Mapping[str, object] = MappingProxyType({})) -> Any:
        from confluent_kafka import Consumer

        return Consumer({**self._settings(), "group.id": group, "enable.auto.commit": False, **settings})

    def _settings(self) -> JsonObject:
        return {**self.topic.security.for_client(), "bootstrap.servers": self.topic.servers, "log_level": 0}

    def _failure(self, error: Exception, batch: int) -> StoreError | EnvironmentProblem:
        reason = error.args[0].str() if error.args else str(error)
        if _is_fenced(error):
            return StoreError(
                f"another process of the same pipeline writes to {self.topic} ({reason}); end one of the two"
            )
        return EnvironmentProblem(f"the deliveries of batch {batch} could not be written to {self.topic}: {reason}")


@dataclass(frozen=True)
class _Writer:
    """The state of a shard that writes to a topic from this process."""

    producer: Any
    noted: _Noted
    progress: SinkProgress
    owns_topic: bool


_writers: dict[tuple[str, str], _Writer] = {}


def _writer_name(made: MicroBatchResult) -> str:
    """The name of a shard of a pipeline."""
    return f"{made.pipeline}-{made.reports[0].shard}"


def _group(name: str) -> str:
    """The consumer group under which the broker stores a position."""
    return f"rankcast-range-{name}"


def _is_fenced(error: Exception) -> bool:
    """Whether another producer with the same transactional id was started."""
    from confluent_kafka import KafkaError

    codes = (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)
    return bool(error.args) and isinstance(error.args[0], KafkaError) and error.args[0].code() in codes


def _identity(made: MicroBatchResult) -> tuple[int, int, str]:
    """The identity of a micro-batch. It distinguishes a repeated micro-batch from another one with the same range."""
    pairs = sorted(pairs_of(made.deliveries))
    return made.after, made.up_to, sha256(msgspec.json.encode(pairs)).hexdigest()


def _is_of(headers: list[tuple[str, bytes]] | None, made: MicroBatchResult) -> bool:
    """Whether a message may belong to the micro-batch or a later one. Messages of earlier releases have no header."""
    origin = dict(headers or ()).get(_ORIGIN)
    if origin is None:
        return True
    pipeline, _, up_to = origin.decode().split(" ")
    return pipeline == made.pipeline and int(up_to) >= made.after


def _pair(value: bytes | None) -> Pair | None:
    """The user and the event of a message; None if it is not a delivery."""
    try:
        row = msgspec.json.decode(value or b"", type=_Delivered)
    except msgspec.MsgspecError:
        return None
    return row.user, row.event


class _Delivered(msgspec.Struct):
    user: str
    event: str
