"""What goes wrong around a pipeline is said, and costs no delivery and doubles none."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.model import Event
from rankcast.pipeline.spark.failures import explain
from rankcast.pipeline.spark.live.host import Host
from rankcast.store import Store

LIMITED = """
import resource, sys
from rankcast.errors import StoreError
from rankcast.model import Delivery
from rankcast.store import BatchCounts, Store

place, most = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
many = 20_000
columns = {"user_id": ["ann"] * many, "event_id": [f"{n:0200d}" for n in range(many)], "seq": [1] * many, "rank": [1.0] * many,
           "subscriptions": ["[]"] * many, "published": [0] * many, "forwarded": [0] * many, "window_number": [1] * many,
           "served": [0] * many, "matched": [0] * many}
with Store.open(place) as store:
    try:
        store.commit_batch("p", columns, [], BatchCounts(7), 10, 20, 1)
    except StoreError as error:
        print(error)
        sys.exit(3)
"""


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        yield store


def test_a_full_disk_is_said_and_the_batch_is_written_when_there_is_room(store, tmp_path, world):
    store.publish(world.events(20))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    pipeline.serve_log(10)
    before = world.delivered(store)
    most = max(file.stat().st_size for file in tmp_path.glob("s.db*")) + 100_000
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "s.db"), str(most)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "s.db" in done.stdout
    assert world.delivered(store) == before
    assert store.progress().offset == 10
    pipeline.serve_log(20, close=True)
    assert world.delivered(store) == world.expected(store)


def test_a_store_that_cannot_be_reached_is_said_and_served_when_it_is_back(store, tmp_path, world):
    store.publish(world.events(30))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    pipeline.serve_log(10)
    state, at = dict(pipeline.state), pipeline.at
    away = tmp_path / "away"
    away.mkdir()
    store.close()
    files = sorted(tmp_path.glob("s.db*"))
    for file in files:
        file.rename(away / file.name)
    pipeline.host = Host()
    with pytest.raises(StoreError, match="no store at"):
        pipeline.serve_log(20)
    for file in files:
        (away / file.name).rename(file)
    pipeline.state, pipeline.at = state, at
    with Store.open(tmp_path / "s.db") as again:
        pipeline.serve_log(20)
        pipeline.serve_log(30, close=True)
        assert world.delivered(again) == world.expected(again)


def test_a_clock_that_jumps_back_costs_nothing(tmp_path, world):
    now = [datetime(2026, 5, 1, tzinfo=UTC)]
    with Store.create(tmp_path / "s.db", clock=lambda: now[0]) as store:
        store.change(put=list(world.records()))
        made = world.events(60)
        published = [
            Event(one.id, one.time - timedelta(hours=2) if 20 <= place < 40 else one.time, one.attributes)
            for place, one in enumerate(made)
        ]
        pipeline = world.Pipeline(store, tmp_path / "s.db")
        for first in range(0, 60, 10):
            now[0] += timedelta(hours=-3 if first == 30 else 1)
            store.publish(published[first : first + 10])
            pipeline.serve_log(first + 10)
            if first % 20:
                pipeline.host = Host()
        pipeline.serve_log(60, close=True)
        assert world.delivered(store) == world.expected(store)
        assert store.rejects() == []


@pytest.mark.parametrize(
    ("said", "kind", "shown"),
    [
        (
            "java.io.IOException: No space left on device\n\tat x",
            EnvironmentProblem,
            "no space is left where the checkpoint 'cp'",
        ),
        (
            "java.lang.IllegalStateException: Incomplete log file in the offset log",
            StoreError,
            "'cp' is damaged (.*Incomplete log",
        ),
        (
            "Traceback\nrankcast.errors.StoreError: no store at 's.db'; create one\n SQLSTATE: 38000\n=== Streaming Query ===",
            StoreError,
            "^no store at 's.db'; create one$",
        ),
    ],
)
def test_what_spark_says_is_explained(said, kind, shown):
    error = explain(RuntimeError(said), "cp")
    assert type(error) is kind
    with pytest.raises(kind, match=shown.replace("(.*", r"\(.*")):
        raise error


def test_what_cannot_be_explained_is_left_as_it_is():
    assert explain(RuntimeError("something else")) is None
