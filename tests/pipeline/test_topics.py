"""Topics of Kafka, on a real broker."""

import json

import pytest

from rankcast.errors import EnvironmentProblem, ModelError
from rankcast.language import decode_event
from rankcast.pipeline.topics import Topic

pytestmark = pytest.mark.xdist_group("spark")  # where the one broker is


def event(number: int):
    return decode_event({"id": f"e{number}", "time": "2026-05-01", "attributes": {"n": number}})


@pytest.mark.parametrize(
    ("url", "topic"),
    [
        ("kafka://localhost:9092/films", Topic("localhost:9092", "films")),
        ("kafka://a.example:1,b.example:2/x.y-z_1", Topic("a.example:1,b.example:2", "x.y-z_1")),
        ("kafka://[::1]:9092/films", Topic("[::1]:9092", "films")),
    ],
)
def test_a_url_names_servers_and_a_topic(url, topic):
    assert Topic.of(url) == topic
    assert str(topic) == url


@pytest.mark.parametrize(
    "url",
    [
        "kafka://localhost/films",
        "kafka://localhost:9092",
        "kafka://localhost:9092/",
        "kafka://localhost:9092/a/b",
        "kafka://localhost:9092/a?x=1",
        "kafka://,localhost:9092/a",
        "localhost:9092/films",
        "kafka://ann:secret@localhost:9092/films",
    ],
)
def test_what_is_no_topic(url):
    with pytest.raises(ModelError, match="give kafka://host:port/topic") as caught:
        Topic.of(url)
    assert "secret" not in str(caught.value)


def test_no_broker_is_one_line(monkeypatch):
    monkeypatch.setattr("rankcast.pipeline.topics._PATIENCE", 1.0)
    with pytest.raises(EnvironmentProblem, match=r"^no answer from Kafka at 127\.0\.0\.1:1 \(.*\); check that it runs"):
        Topic.of("kafka://127.0.0.1:1/films").found()


def test_no_topic_names_a_near_one(kafka):
    kafka.create("thrillers")
    with pytest.raises(
        EnvironmentProblem, match=r"no topic 'thriller' at .*; did you mean 'thrillers'\?; create it first"
    ):
        Topic(kafka.address, "thriller").found()


def test_a_topic_made_anew_has_another_id(kafka):
    topic = Topic(kafka.address, "made-anew")
    kafka.create("made-anew", partitions=3)
    before = topic.found()
    assert before == topic.found()
    assert before.partitions == 3
    kafka.delete("made-anew")
    kafka.create("made-anew", partitions=3)
    assert topic.found().id != before.id


def test_published_events_are_there_once_in_order_with_their_ids_as_keys(kafka):
    kafka.create("published")
    sent = list(Topic(kafka.address, "published").publishing(event(n) for n in range(500)))
    assert [(each.id, each.partition, each.offset) for each in sent] == [(f"e{n}", 0, n) for n in range(500)]
    found = kafka.messages("published")
    assert [key.decode() for key, _ in found] == [f"e{n}" for n in range(500)]
    assert json.loads(found[7][1]) == {"id": "e7", "time": "2026-05-01T00:00:00Z", "attributes": {"n": 7}}


def test_publishing_where_there_is_no_topic_fails(kafka):
    with pytest.raises(EnvironmentProblem, match="no topic 'nowhere'"):
        list(Topic(kafka.address, "nowhere").publishing([event(1)]))
