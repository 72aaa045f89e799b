"""Metrics as Prometheus reads them."""

import json
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from rankcast.errors import EnvironmentProblem
from rankcast.language import decode_event
from rankcast.model import Reject
from rankcast.pipeline.metrics import Metrics
from rankcast.store import BatchCounts, Store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    return [NOON]


@pytest.fixture
def store(tmp_path, clock):
    with Store.create(tmp_path / "store.db", clock=lambda: clock[0]) as store:
        yield store


def values(text: bytes) -> dict[str, float]:
    """The samples without labels, by name; parsed as Prometheus would."""
    families = text_string_to_metric_families(text.decode())
    return {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}


def publish(store, count):
    store.publish([decode_event({"id": f"e{n}", "time": "2026-05-01", "attributes": {}}) for n in range(count)])


def test_a_store_that_nobody_serves_has_a_lag(store, clock):
    publish(store, 3)
    clock[0] = NOON + timedelta(seconds=90)
    found = values(Metrics(store).text())
    assert found["rankcast_store_up"] == 1
    assert found["rankcast_store_events_total"] == found["rankcast_lag_events"] == 3
    assert found["rankcast_lag_seconds"] == 90
    assert "rankcast_events_total" not in found


def test_what_the_pipeline_did(store):
    publish(store, 3)
    store.claim("p1", "checkpoint", shards=2)
    done = BatchCounts(0, events=3, matched=7, late=1, rejected=1, seconds=0.25, state_bytes=1000)
    store.commit_batch("p1", {}, [("k", Reject("topic", 1, "late", "{}"))], done, 0, 3, 0)
    text = Metrics(store).text()
    found = values(text)
    expected = {
        "rankcast_events_total": 3,
        "rankcast_matched_total": 7,
        "rankcast_delivered_total": 0,
        "rankcast_late_total": 1,
        "rankcast_rejected_total": 1,
        "rankcast_store_rejects_total": 1,
        "rankcast_lag_events": 0,
        "rankcast_lag_seconds": 0,
        "rankcast_shards": 2,
        "rankcast_state_bytes": 1000,
        "rankcast_last_batch_seconds": 0.25,
        "rankcast_last_commit_timestamp_seconds": NOON.timestamp(),
    }
    assert expected.items() <= found.items()
    assert b'rankcast_pipeline_info{engine="spark",name="p1"} 1.0' in text


def test_progress_of_spark_gives_batch_seconds_and_the_lag_of_a_topic(store):
    metrics = Metrics(store)
    progress = {"batchDuration": 700, "numInputRows": 5, "sources": [{"metrics": None}, {}]}
    metrics.progress(progress)
    assert "rankcast_topic_lag_events" not in values(metrics.text())
    metrics.progress(json.dumps({**progress, "sources": [{"metrics": {"maxOffsetsBehindLatest": "12"}}]}))
    found = values(metrics.text())
    assert (found["rankcast_batch_seconds_count"], found["rankcast_batch_seconds_sum"]) == (2, pytest.approx(1.4))
    assert found["rankcast_topic_lag_events"] == 12


def test_a_store_that_fails_is_down_and_no_error(store):
    metrics = Metrics(store)
    store.close()
    assert values(metrics.text())["rankcast_store_up"] == 0


def test_two_stores_have_metrics_of_their_own(store, tmp_path):
    with Store.create(tmp_path / "other.db") as other:
        publish(other, 2)
        assert values(Metrics(store).text())["rankcast_store_events_total"] == 0
        assert values(Metrics(other).text())["rankcast_store_events_total"] == 2


def test_listening_on_a_port(store):
    publish(store, 1)
    with Metrics(store).listening(0) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain")
            assert values(answer.read())["rankcast_store_events_total"] == 1
        with (
            pytest.raises(EnvironmentProblem, match=rf"at 127\.0\.0\.1:{port}: .*; choose another port"),
            Metrics(store).listening(port),
        ):
            pass
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10)
