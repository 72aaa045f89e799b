"""A Kafka broker of one's own: a single node (KRaft) on loopback, from the jars that scripts/services fetched."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from ports import free_port

from rankcast.pipeline.doctor import find_java

JARS = Path(__file__).parents[2] / ".services"
PATIENCE = 60.0
USER = "ann"
PASSWORD = "correct horse"
CLUSTER = "rankcast-tests-cluster"  # 22 characters, as Kafka wants them


def connector_jars() -> list[Path]:
    """Spark's connector to Kafka and what it needs besides Spark."""
    return sorted((JARS / "spark-kafka").glob("*.jar"))


def missing() -> str | None:
    """Why there can be no broker here; None if there can."""
    lacking = [name for name in ("kafka", "spark-kafka") if not any((JARS / name).glob("*.jar"))]
    return f"no jars in .services/{' and '.join(lacking)}; scripts/services fetches them" if lacking else None


@dataclass(frozen=True)
class Broker:
    """A broker that is up, at `address` (host:port). At `secure` it wants TLS and the password of `USER`; `ca` is the
    certificate to trust.
    """

    address: str
    process: "subprocess.Popen[bytes]"
    admin: AdminClient
    secure: str
    ca: Path

    def create(self, topic: str, partitions: int = 1) -> None:
        """A new topic, which the broker tells everybody about before this returns. All tests of a process share the
        broker: each has names of its own.
        """
        self._all_done(self.admin.create_topics([NewTopic(topic, partitions, 1)]))
        self._until(lambda: self._partitions(topic) == partitions, f"topic {topic} is there")

    def delete(self, topic: str) -> None:
        """Delete a topic and wait until it is gone."""
        self._all_done(self.admin.delete_topics([topic]))
        self._until(lambda: self._partitions(topic) == 0, f"topic {topic} is gone")

    def truncate(self, topic: str, before: int, partition: int = 0) -> None:
        """Delete the messages before an offset, as retention does."""
        self._all_done(self.admin.delete_records([TopicPartition(topic, partition, before)]))

    def send(self, topic: str, *messages: bytes | str, partition: int = 0) -> None:
        """Messages, in order, acknowledged by the broker."""
        producer = Producer({"bootstrap.servers": self.address})
        errors: list[object] = []
        for message in messages:
            producer.produce(topic, message, partition=partition, callback=lambda error, _: errors.append(error))
        assert producer.flush(PATIENCE) == 0
        assert not any(errors), errors

    def messages(self, topic: str) -> list[tuple[bytes | None, bytes | None]]:
        """All (key, value) of a topic, partition by partition; only what was committed."""
        settings = {"bootstrap.servers": self.address, "group.id": "tests", "enable.partition.eof": True}
        consumer = Consumer({**settings, "isolation.level": "read_committed"})
        partitions = sorted(consumer.list_topics(topic, timeout=PATIENCE).topics[topic].partitions)
        found: list[tuple[bytes | None, bytes | None]] = []
        try:
            for partition in partitions:
                consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
                while (message := consumer.poll(PATIENCE)) is not None and message.error() is None:
                    found.append((message.key(), message.value()))
        finally:
            consumer.close()
        return found

    def _partitions(self, topic: str) -> int:
        found = self.admin.list_topics(timeout=PATIENCE).topics.get(topic)
        return 0 if found is None else len(found.partitions)

    def _all_done(self, futures: dict[object, object]) -> None:
        for future in futures.values():
            future.result(PATIENCE)

    def _until(self, condition, what: str) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, f"not so after {PATIENCE:g} s: {what}"
            assert self.process.poll() is None, "the broker ended"
            time.sleep(0.1)


@contextmanager
def broker(folder: Path) -> Iterator[Broker]:
    """A broker that keeps its data in the folder; it ends with the block."""
    port, secure, control = (free_port() for _ in range(3))
    folder.mkdir(parents=True, exist_ok=True)
    ca = certificate(folder)
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{control}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},SECURE://127.0.0.1:{secure},CONTROLLER://127.0.0.1:{control}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port},SECURE://127.0.0.1:{secure}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(folder / "server.pem"),
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secure.plain.sasl.jaas.config": (
            f'org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{PASSWORD}";'
        ),
        "log.dirs": str(folder / "data"),
        "auto.create.topics.enable": "false",
        "num.partitions": "1",
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "log.cleaner.enable": "false",
        "num.network.threads": "1",
        "num.io.threads": "2",
    }
    properties = folder / "server.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    with (folder / "kafka.log").open("wb") as log:
        formatted = _java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(properties))
        subprocess.run(formatted, check=True, cwd=folder, stdout=log, stderr=log)
        process = subprocess.Popen(_java("kafka.Kafka", str(properties)), cwd=folder, stdout=log, stderr=log)
    try:
        address = f"127.0.0.1:{port}"
        admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
        started = Broker(address, process, admin, f"127.0.0.1:{secure}", ca)
        started._until(lambda: _answers(started), "the broker answers")
        yield started
    finally:
        process.kill()
        process.wait()


def certificate(folder: Path) -> Path:
    """A self-signed certificate for 127.0.0.1: `server.pem` with the key, and `ca.pem`, the path of which is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    key, cert = folder / "key.pem", folder / "ca.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    (folder / "server.pem").write_text(key.read_text() + cert.read_text())
    return cert


def _answers(broker: Broker) -> bool:
    host, port = broker.address.split(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        broker.admin.list_topics(timeout=2)
    except (OSError, KafkaException):
        return False
    return True


def _java(main: str, *arguments: str) -> list[str]:
    java = find_java()
    assert java is not None
    quick = ["-Xmx384m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    return [str(java.home / "bin" / "java"), *quick, "-cp", f"{JARS / 'kafka'}{os.sep}*", main, *arguments]
