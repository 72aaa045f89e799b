"""The same job with real executors, and under Spark Connect: the deliveries are the same."""

import os
import signal
import sys

import pytest
from pipeline_process import PipelineProcess

from rankcast.store import Store

TOO_BUSY = "Python worker failed to connect back"
"""Spark gives its workers ten seconds to start, which a busy machine may exceed."""

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=list(world.records()))
        yield store


def change_and_publish(world, store, count: int) -> None:
    """Some more events, with a change of the catalog among them."""
    first = store.last_offset()
    store.publish(world.events(count // 2, first=first))
    for put, remove in list(world.changes(store))[:2]:
        store.change(put=put, remove=remove)
    store.publish(world.events(count - count // 2, first=first + count // 2))


@pytest.mark.skipif(sys.platform != "linux", reason="looks for executors in /proc")
def test_executors_of_a_cluster_may_be_killed(tmp_path, world, store):
    store.publish(world.events(40))
    with PipelineProcess.driver(tmp_path, "local-cluster[2,1,1024]", str(tmp_path / "store.db")) as pipeline:

        def all_served() -> bool:
            return store.progress().offset == store.last_offset()

        pipeline.until(all_served, "serving on two executors")
        first, second = pipeline.executors()
        change_and_publish(world, store, 40)
        os.kill(first, signal.SIGKILL)
        pipeline.until(all_served, "serving after an executor was killed")
        store.publish(world.events(20, first=store.last_offset()))
        pipeline.until(all_served, "serving on")
        os.kill(second, signal.SIGKILL)
        store.publish(world.events(40, first=store.last_offset()))
        pipeline.until(all_served, "serving after the other executor was killed")
    assert world.delivered(store) == world.expected(store, close=False)
    assert len(world.delivered(store)) > 300


def test_under_spark_connect(tmp_path, world, store):
    change_and_publish(world, store, 60)
    for _ in range(3):
        with PipelineProcess.driver(tmp_path, "connect local[2]", str(tmp_path / "store.db"), follow=False) as pipeline:
            said = pipeline.finish(TOO_BUSY)
        if said != TOO_BUSY:
            break
    assert "served pyspark.sql.connect.session" in said
    assert world.delivered(store) == world.expected(store)
