"""Kafka as the place where deliveries go: a message for each, its key the user.

Two ways, with two guarantees:

- `KafkaSink`, of a pipeline over a store: each micro-batch is one transaction of Kafka, which also writes down the number of the
  micro-batch. One that comes again after a crash is left out. So whoever reads with ``isolation.level=read_committed`` sees
  every delivery exactly once, as long as the broker remembers the number (``offsets.retention.minutes``, 7 days, counted from
  when the pipeline stands still); an older crash may repeat one micro-batch.
- `kafka_rows`, a step for Spark's own connector (``writeStream.format("kafka")``), which knows no transactions: at least once.
  A reader leaves out what it has seen by (user, event): a delivery of an event to a user is made only once.
"""

import re
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.language import dumps, show_time
from rankcast.spark.sinks import Made
from rankcast.topics import Topic

__all__ = ["KafkaSink", "kafka_rows"]

_PATIENCE = 30.0
_producers: dict[tuple[str, str], Any] = {}


def kafka_rows(deliveries: DataFrame) -> DataFrame:
    """Deliveries as Spark's connector writes them: `key`, the user, and `value`, the delivery as JSON (SPEC 9)."""
    times = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSX", "timeZone": "UTC"}
    return deliveries.select(
        f.col("user").alias("key"), f.to_json(f.struct(*deliveries.columns), options=times).alias("value")
    )


@dataclass(frozen=True)
class KafkaSink:
    """Writes the deliveries of each micro-batch to a topic, in one transaction. The topic must be there."""

    topic: Topic

    def __call__(self, made: Made) -> None:
        """Write what a micro-batch made, unless that was done before."""
        from confluent_kafka import KafkaException

        if not made.deliveries.num_rows:
            return
        writer = f"rankcast-{made.reports[0].pipeline}"
        key = (str(self.topic), writer)
        try:
            if made.batch < self._following(writer):
                return
            producer = _producers.get(key) or self._started(writer)
            _producers[key] = producer
            self._write(producer, writer, made)
        except KafkaException as error:
            producer = _producers.pop(key, None)
            raise self._failure(error, made.batch) from error

    def _write(self, producer: Any, writer: str, made: Made) -> None:
        from confluent_kafka import KafkaException

        producer.begin_transaction()
        try:
            for row in made.deliveries.to_pylist():
                self._send(producer, row)
            done = self._position(made.batch + 1)
            with_group = self._consumer(writer)
            try:
                producer.send_offsets_to_transaction([done], with_group.consumer_group_metadata(), _PATIENCE)
            finally:
                with_group.close()
            producer.commit_transaction(_PATIENCE)
        except KafkaException as error:
            if error.args[0].txn_requires_abort():
                producer.abort_transaction(_PATIENCE)
            raise

    def _send(self, producer: Any, row: dict[str, Any]) -> None:
        times = {name: show_time(row[name]) for name in ("published", "forwarded")}
        value = dumps({**row, **times}).encode()
        while True:
            try:
                producer.produce(self.topic.name, value, row["user"].encode())
                return
            except BufferError:
                producer.poll(0.1)

    def _started(self, writer: str) -> Any:
        """A producer that shuts out any other of the same pipeline, such as one of a driver that is not quite dead."""
        from confluent_kafka import Producer

        self.topic.found()
        settings = {"transactional.id": writer, "partitioner": "murmur2_random"}
        producer = Producer({**self._settings(), **settings})
        producer.init_transactions(_PATIENCE)
        return producer

    def _following(self, writer: str) -> int:
        """The number of the micro-batch after the last one that was written."""
        consumer = self._consumer(writer)
        try:
            (position,) = consumer.committed([self._position()], timeout=_PATIENCE)
        finally:
            consumer.close()
        return max(0, int(position.offset))

    def _position(self, batch: int = -1) -> Any:
        """Where the broker keeps the number: as if a group of readers had come that far in the first partition."""
        from confluent_kafka import TopicPartition

        return TopicPartition(self.topic.name, 0, batch)

    def _consumer(self, writer: str) -> Any:
        from confluent_kafka import Consumer

        return Consumer({**self._settings(), "group.id": writer, "enable.auto.commit": False})

    def _settings(self) -> dict[str, Any]:
        return {"bootstrap.servers": self.topic.servers, "log_level": 0}

    def _failure(self, error: Exception, batch: int) -> StoreError | EnvironmentProblem:
        reason = error.args[0].str() if error.args else str(error)
        if re.search(r"(?i)fenced|epoch", reason):
            return StoreError(
                f"another process of the same pipeline writes to {self.topic} ({reason}); end one of the two"
            )
        return EnvironmentProblem(f"the deliveries of batch {batch} could not be written to {self.topic}: {reason}")
