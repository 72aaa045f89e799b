"""Kafka topics: parsing their URLs, checking that they exist, and publishing to them.

`rankcast.pipeline.spark.kafka` reads topics, and `rankcast.pipeline.spark.kafka_sink` writes deliveries.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankcast.errors import EnvironmentProblem, ModelError, did_you_mean
from rankcast.extras import require
from rankcast.language import dumps, encode_event
from rankcast.model import Event
from rankcast.pipeline.kafka_security import KafkaSecurity, explain_refusal
from rankcast.plain import JsonObject

_FORM = re.compile(r"kafka://(?P<servers>[^/?#\s]+)/(?P<name>[A-Za-z0-9._-]{1,249})(\?config=(?P<config>[^?#&]+))?")
_SERVER = re.compile(r"(\[[0-9A-Fa-f:]+\]|[^\s:@\[\]]+):\d{1,5}")
_PATIENCE = 10.0
_TRIES = (0.1, 0.3, 0.6)
"""The parts of this time for each question. After each, a broker that refuses is not asked again."""
_DELIVERY_SECONDS = 60.0


class TopicDescription(NamedTuple):
    """A topic as its broker describes it. A topic that was deleted and created again has another id."""

    id: str
    partitions: int


class TopicReceipt(NamedTuple):
    """The acknowledgement of an event: all replicas have it, at this offset of this partition."""

    id: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic and its bootstrap servers.

    >>> Topic.of("kafka://localhost:9092/films")
    Topic(servers='localhost:9092', name='films')
    """

    servers: str
    name: str
    security: KafkaSecurity = field(default_factory=KafkaSecurity, repr=False, compare=False)

    @classmethod
    def of(cls, url: str) -> "Topic":
        """Parse the URL of a topic: ``kafka://host:port,host:port/topic``.

        ``?config=FILE`` at its end names a file with settings for TLS and passwords (`rankcast.pipeline.kafka_security`).
        """
        found = _FORM.fullmatch(url)
        if found is None or not all(_SERVER.fullmatch(server) for server in found["servers"].split(",")):
            raise ModelError(
                f"{_without_password(url)!r} is no topic of Kafka; give kafka://host:port/topic, with commas between several "
                "servers"
            )
        return cls(found["servers"], found["name"], KafkaSecurity.of(found["config"]))

    def __str__(self) -> str:
        return f"kafka://{self.servers}/{self.name}"

    def found(self) -> TopicDescription:
        """The broker's description of the topic. Raises EnvironmentProblem if the broker or topic cannot be found."""
        require("kafka")
        from confluent_kafka import KafkaException, TopicCollection
        from confluent_kafka.admin import AdminClient

        reasons: list[str] = []
        settings = self.settings()
        settings["error_cb"] = lambda error: reasons.append(error.str())
        admin = AdminClient(settings)
        try:
            for share in _TRIES:
                try:
                    known = admin.list_topics(timeout=share * _PATIENCE).topics
                    break
                except KafkaException:
                    admin.poll(0)  # the reasons, which are more precise than the error
                    if share == _TRIES[-1] or self._refusal(reasons) is not None:
                        raise
            if self.name in known:
                described = admin.describe_topics(TopicCollection([self.name]))[self.name].result(_PATIENCE)
                return TopicDescription(str(described.topic_id), len(described.partitions))
            near = did_you_mean(self.name, known)
            problem = EnvironmentProblem(f"there is no topic {self.name!r} at {self.servers}{near}; create it first")
        except (KafkaException, TimeoutError) as error:
            problem = self._refusal(reasons) or EnvironmentProblem(
                f"no answer from Kafka at {self.servers} ({_reason(error)}); check that it runs, and the address"
            )
        # Wait for its threads: kept by the traceback, they would use TLS while the process ends, and crash it.
        del admin
        raise problem

    def _refusal(self, reasons: list[str]) -> EnvironmentProblem | None:
        """What it means if one of the reasons is that the broker refuses the connection; None if it does not."""
        return next(filter(None, (explain_refusal(one, self.servers, self.security) for one in reasons)), None)

    def publishing(self, events: Iterable[Event]) -> Iterator[TopicReceipt]:
        """Write events in order, with the event id as the message key.

        Yields each acknowledgement when all replicas have the event. Events with the same id go to the same
        partition, and a retried message is written only once. Publishing again after a crash does write an event
        twice.
        """
        require("kafka")
        from confluent_kafka import KafkaException, Producer

        self.found()
        acknowledged: list[TopicReceipt] = []
        errors: list[str] = []

        def delivered(error: Any, message: Any) -> None:
            if error is not None:
                errors.append(error.str())
            else:
                acknowledged.append(TopicReceipt(message.key().decode(), message.partition(), message.offset()))

        producer = Producer(
            self.settings()
            | {
                "enable.idempotence": True,
                "partitioner": "murmur2_random",  # the default of Java producers
                "message.timeout.ms": int(_DELIVERY_SECONDS * 1000),
            }
        )
        try:
            for event in events:
                value = dumps(encode_event(event)).encode()
                while True:
                    try:
                        producer.produce(self.name, value, event.id.encode(), on_delivery=delivered)
                        break
                    except BufferError:
                        producer.poll(0.1)
                producer.poll(0)
                yield from self._taken(acknowledged, errors)
            producer.flush(_DELIVERY_SECONDS)
        except KafkaException as error:
            errors.append(_reason(error))
        yield from self._taken(acknowledged, errors)
        if len(producer):
            raise EnvironmentProblem(f"Kafka at {self.servers} has not taken {len(producer)} events; try again")

    def _taken(self, acknowledged: list[TopicReceipt], errors: list[str]) -> Iterator[TopicReceipt]:
        yield from acknowledged
        acknowledged.clear()
        if errors:
            raise EnvironmentProblem(f"Kafka at {self.servers} did not take an event for {self.name!r}: {errors[0]}")

    def settings(self) -> JsonObject:
        """The settings of a client for the servers of this topic."""
        # The library's own messages on stderr add nothing to the errors.
        own = {"bootstrap.servers": self.servers, "log_level": 0, "socket.timeout.ms": int(_PATIENCE * 1000)}
        return {**self.security.for_client(), **own}


def _reason(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return str(first.str() if hasattr(first, "str") else first) or type(error).__name__


def _without_password(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//***@", url)
