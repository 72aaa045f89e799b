"""From a topic through the pipeline to the store and to another topic, on a real broker, killed in between."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kafka_broker import JARS, PASSWORD, USER, certificate, connector_jars
from pipeline_process import PipelineProcess

from rankcast.engine.reference.shard import Shard
from rankcast.language import decode_delivery, dumps, encode_event
from rankcast.pipeline.spark.kafka import JARS as NAMED
from rankcast.store import Store

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ENTRY = "from rankcast.cli.main import main; main()"
POISON = [
    b"\xff\xfe\x00",
    b"",
    b"{",
    b'{"id": "a\\u0000b", "time": "2026-01-01", "attributes": {}}',
    b'{"id": "e00001"}',
]


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=list(world.records()))
        yield store


def lines(events):
    return [dumps(encode_event(event)) for event in events]


def secured(file: Path, password: str, ca: Path) -> None:
    """Write how to reach the broker by TLS and with a password."""
    file.write_text(
        "security.protocol = SASL_SSL\nsasl.mechanism = PLAIN\n"
        f"sasl.username = {USER}\nsasl.password = {password}\nssl.ca.location = {ca}\n"
    )


def refusal(folder: Path, *arguments: str) -> str:
    """What a pipeline says that is refused."""
    command = [sys.executable, "-c", ENTRY, "run", "--engine", "spark", "--shards", "2", "--store", "store.db"]
    done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == 3, done.stdout + done.stderr
    return " ".join(done.stderr.split())


def pipeline(tmp_path, *arguments: str) -> PipelineProcess:
    os.environ[NAMED] = str(JARS / "spark-kafka")
    command = [sys.executable, "-c", ENTRY, "run", "--engine", "spark", "--shards", "2", "--store", "store.db"]
    return PipelineProcess(tmp_path, [*command, *arguments])


def test_killed_between_topic_and_store_nothing_is_lost_or_twice(kafka, tmp_path, world, store):
    assert connector_jars()
    kafka.create("films")
    kafka.create("sent", partitions=2)
    events = world.events(120)
    to_and_fro = ("--events", f"kafka://{kafka.address}/films", "--sink", f"kafka://{kafka.address}/sent")
    kafka.send("films", *lines(events[:50]))
    with pipeline(tmp_path, *to_and_fro, "--follow", "--max-events-per-batch", "20") as following:
        following.until(lambda: store.last_delivery() > 0, "the first delivery")
        kafka.send("films", *POISON, *lines(events[50:80]))
        following.kill()
    kafka.send("films", *lines(events[80:]))
    # The same topics, now with TLS and a password. Who is refused changes nothing, neither there nor in the store.
    secured(tmp_path / "kafka.properties", PASSWORD, kafka.ca)
    secured(tmp_path / "password.properties", "hunter2", kafka.ca)
    secured(tmp_path / "certificate.properties", PASSWORD, certificate(tmp_path / "other"))
    (films, sent), *wrong = (
        [f"kafka://{kafka.secure}/{name}?config={config}.properties" for name in ("films", "sent")]
        for config in ("kafka", "password", "certificate")
    )
    for refused, says in zip(
        wrong, ("refused the user name or the password", "no TLS connection to Kafka"), strict=True
    ):
        said = refusal(tmp_path, "--events", refused[0], "--sink", sent)
        assert says in said
        assert "Nothing was read or written" in said
        assert "hunter2" not in said
    assert says in refusal(tmp_path, "--events", films, "--sink", refused[1])
    with pipeline(tmp_path, "--events", films, "--sink", sent) as once:
        once.finish()

    shard = Shard(store.catalog())
    expected = [delivery for event in enumerate(events, 1) for delivery in shard.publish([event[1].at(event[0])])]
    in_order = sorted(expected, key=lambda delivery: delivery.order)
    assert world.delivered(store) == in_order
    sent = [(key.decode(), decode_delivery(json.loads(value))) for key, value in kafka.messages("sent")]
    assert sorted((delivery for _, delivery in sent), key=lambda delivery: delivery.order) == in_order
    assert all(key == delivery.user for key, delivery in sent)

    rejects = store.rejects()
    assert [(reject.file, reject.line) for reject in rejects] == [
        ("topic films, partition 0", 50 + number) for number in range(len(POISON))
    ]
    assert "not valid UTF-8" in rejects[0].reason
    done = store.pipeline()
    assert (done.events, done.rejected, done.delivered) == (120, len(POISON), len(in_order))
