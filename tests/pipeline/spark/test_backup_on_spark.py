"""A backup that is taken while events are published and a query of Spark serves them goes on as if nothing had happened."""

import threading
import time

from rankcast.pipeline.spark import serve_store
from rankcast.pipeline.spark.failures import wait_for
from rankcast.store import Store
from rankcast.store.backups import back_up, restore

COUNT = 400


def publish_slowly(place, events, enough):
    with Store.open(place) as store:
        for first in range(0, len(events), 5):
            store.publish(events[first : first + 5])
            while store.last_offset() > store.progress().offset + 40 and not enough.wait(0.02):
                pass  # the pipeline is not to fall far behind
            if enough.is_set():
                return


def test_store_and_checkpoint_together_while_both_are_written(spark, world, tmp_path):
    place, events = tmp_path / "s.db", world.events(COUNT)
    enough, archives = threading.Event(), [tmp_path / "first.backup", tmp_path / "second.backup"]
    with Store.create(place) as store:
        store.change(put=list(world.records()))
        publisher = threading.Thread(target=publish_slowly, args=(place, events, enough), daemon=True)
        query = serve_store(spark, place, tmp_path / "cp", shards=2, trigger="50 milliseconds", max_events=20)
        try:
            publisher.start()
            for number, archive in enumerate(archives):
                deadline = time.monotonic() + 240
                while store.progress().offset < 20 + 60 * number:
                    wait_for(query, 0.02)
                    assert time.monotonic() < deadline
                made = back_up(str(place), archive, "1.0")
                assert 0 < made.served < COUNT, "it was taken in the middle"
        finally:
            enough.set()
            publisher.join()
            query.stop()

    for number, archive in enumerate(archives):
        there, checkpoint = tmp_path / f"restored{number}.db", tmp_path / f"restored{number}.checkpoint"
        restore(archive, str(there), checkpoint=str(checkpoint))
        with Store.open(there) as store:
            assert store.progress().offset <= store.last_offset() < COUNT
            store.publish(events[store.last_offset() :])
            wait_for(serve_store(spark, there, checkpoint, shards=2, trigger=None, close=True))
            assert world.delivered(store) == world.expected(store)
            assert store.last_offset() == COUNT
