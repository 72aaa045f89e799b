"""Topics of a real broker as streams."""

import pytest

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.pipeline.spark.kafka import JARS, check_topic, connector_settings, explain, read_topic
from rankcast.pipeline.topics import Topic


@pytest.fixture
def read(spark, tmp_path):
    """Read what is new in a topic, with one checkpoint."""

    def read(topic: Topic, start: str = "earliest", max_events: int | None = None) -> list[list[tuple]]:
        batches: list[list[tuple]] = []
        query = (
            read_topic(spark, topic, start, max_events)
            .select("json", "file", "line")
            .writeStream.foreachBatch(lambda rows, _: batches.append(sorted(map(tuple, rows.collect()))))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return batches

    return read


def test_messages_come_as_bytes_with_their_place_and_once(kafka, read):
    topic = Topic(kafka.address, "as-bytes")
    kafka.create(topic.name, partitions=2)
    kafka.send(topic.name, "a", b"\xff\xfe", partition=1)
    kafka.send(topic.name, "x")
    place = "topic as-bytes, partition {}".format
    assert read(topic) == [[(b"a", place(1), 0), (b"x", place(0), 0), (b"\xff\xfe", place(1), 1)]]
    kafka.send(topic.name, "1", "2", "3")
    assert [len(batch) for batch in read(topic, max_events=2)] == [2, 1]


def test_messages_that_were_deleted_unread_stop_the_stream(kafka, read):
    topic = Topic(kafka.address, "deleted-unread")
    kafka.create(topic.name)
    kafka.send(topic.name, "a")
    read(topic)
    kafka.send(topic.name, "b", "c", "d")
    kafka.truncate(topic.name, before=3)
    with pytest.raises(Exception, match="data may have been lost") as caught:
        read(topic)
    explained = explain(caught.value, topic)
    assert isinstance(explained, StoreError)
    assert "messages of the topic 'deleted-unread' are gone" in str(explained)
    assert "offset [1, 4)" in str(explained)


def test_the_checkpoint_knows_its_topic(kafka, spark, tmp_path):
    topic = Topic(kafka.address, "known")
    with pytest.raises(EnvironmentProblem, match="no topic 'known'"):
        check_topic(spark, topic, tmp_path / "checkpoint")
    kafka.create(topic.name)
    check_topic(spark, topic, tmp_path / "checkpoint")
    check_topic(spark, topic, tmp_path / "checkpoint")
    kafka.create("known-too")
    with pytest.raises(StoreError, match="is of the topic 'known', not 'known-too'"):
        check_topic(spark, Topic(kafka.address, "known-too"), tmp_path / "checkpoint")
    kafka.delete(topic.name)
    kafka.create(topic.name)
    with pytest.raises(StoreError, match="'known' was deleted and made anew since"):
        check_topic(spark, topic, tmp_path / "checkpoint")


def test_a_checkpoint_of_another_stream_is_refused(kafka, spark, tmp_path):
    kafka.create("not-this")
    (tmp_path / "metadata").write_text("{}")
    with pytest.raises(StoreError, match="reads the store's own log, not a topic"):
        check_topic(spark, Topic(kafka.address, "not-this"), tmp_path)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: kafka.", EnvironmentProblem, "--packages org.apache"),
        ("org.apache.kafka.common.errors.TimeoutException: Timeout of 60000ms", EnvironmentProblem, "did not answer"),
        ("UnknownTopicOrPartitionException: gone", EnvironmentProblem, "no topic 'films' at localhost:1 any more"),
    ],
)
def test_failures_are_explained(text, kind, message):
    explained = explain(RuntimeError(text), Topic("localhost:1", "films"))
    assert isinstance(explained, kind)
    assert message in str(explained)


def test_other_failures_have_no_explanation():
    assert explain(RuntimeError("division by zero"), Topic("localhost:1", "films")) is None


def test_the_connector_is_fetched_unless_its_jars_are_there(monkeypatch, tmp_path):
    monkeypatch.delenv(JARS, raising=False)
    assert connector_settings()["spark.jars.packages"].startswith("org.apache.spark:spark-sql-kafka-0-10_2.13:4.")
    monkeypatch.setenv(JARS, str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="there are no jars in"):
        connector_settings()
    (tmp_path / "a.jar").touch()
    assert connector_settings() == {"spark.jars": str(tmp_path / "a.jar")}
