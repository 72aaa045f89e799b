"""A checkpoint of the release before goes on after the upgrade of its store, with the deliveries that it would have made."""

from datetime import UTC, datetime

import before
import msgspec
import pytest

from rankcast.engine.reference.shard import Shard
from rankcast.errors import StoreError
from rankcast.pipeline.spark import serve_store
from rankcast.pipeline.spark.blobs import MARK, MATCHED
from rankcast.pipeline.spark.failures import wait_for
from rankcast.pipeline.spark.live import shard as live_shard
from rankcast.pipeline.spark.live.frames import table_of
from rankcast.pipeline.spark.live.host import Host
from rankcast.pipeline.spark.live.marks import Mark, encode_mark
from rankcast.pipeline.spark.live.matchers import Matchers
from rankcast.pipeline.spark.live.requests import Frame, HostSettings, MatchRequest, Request
from rankcast.store import Store
from rankcast.store.upgrading import upgrade_store


def test_a_checkpoint_goes_on(spark, tmp_path):
    place, checkpoint = before.put_file("spark.db", tmp_path), before.put_checkpoint(tmp_path)
    upgrade_store(place, is_backed_up=True)
    # By the clock of the fixtures, for which the stream is live: by today's, the rest of a live stream would be late.
    with Store.open(place, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as store:
        store.publish(before.remaining())
        wait_for(serve_store(spark, str(place), checkpoint, shards=before.SHARDS, trigger=None, close=True))
        assert before.delivered(store) == before.deliveries()


@pytest.fixture
def saved() -> dict[int, tuple[str, bytes, dict[int, bytes], dict[int, bytes]]]:
    """What two shards over arrays have saved of the first 100 events."""
    return msgspec.msgpack.decode(before.unpacked("live.msgpack"), strict=False)


def ask(place, number: int, saved, up_to: int):
    settings = HostSettings("run", "cp", before.SHARDS, str(place), True, True, None, 200)
    host = Host()
    matched = Matchers().match(MatchRequest("run", str(place), before.SHARDS, 100, up_to, looks_ahead=False))
    assert matched.error is None, matched.error
    frames = [Frame(MARK, encode_mark(Mark("p", 100, up_to, True))), Frame(MATCHED, matched.ranges[number])]
    return host.answer(Request(settings, number, "none", frames, tuple(saved[1:])))


def due(place) -> list[tuple[str, str, float, int]]:
    """What the oracle delivers of events 101 to 130, and at their end."""
    shard, version, made = None, None, []
    with Store.open(place) as store:
        for logged in store.events(limit=130):
            catalog = store.catalog(logged.catalog_version)
            if shard is None:
                shard = Shard(catalog)
            deliveries = shard.update(catalog) if logged.catalog_version != version else []
            version = logged.catalog_version
            deliveries += shard.publish([logged.event])
            made += deliveries if logged.offset > 100 else []
    made += shard.close()
    return sorted((one.user, one.event, one.rank, one.window) for one in made)


@pytest.mark.parametrize("is_arrays", [True, False])
def test_shards_over_arrays_go_on_as_either(tmp_path, monkeypatch, saved, is_arrays):
    monkeypatch.setattr(live_shard, "MANY_SUBSCRIPTIONS", 1 if is_arrays else 10**9)
    place = before.put_file("spark.db", tmp_path)
    upgrade_store(place, is_backed_up=True)
    made = []
    for number in range(before.SHARDS):
        answer = ask(place, number, saved[number], 130)
        assert answer.error is None, answer.error
        made += table_of(answer.deliveries).to_pylist()
    assert sorted((one["user"], one["event"], one["rank"], one["window"]) for one in made) == due(place)


def test_a_later_release_s_head_and_pages_are_refused(tmp_path, saved):
    place = before.put_file("spark.db", tmp_path)
    upgrade_store(place, is_backed_up=True)
    token, head, pages, journal = saved[0]
    later = msgspec.msgpack.encode({**msgspec.msgpack.decode(head), "form": 99})
    answer = ask(place, 0, (token, later, pages, journal), 130)
    assert answer.error == (StoreError.__name__, answer.error[1])
    assert "its form is 99" in answer.error[1]
