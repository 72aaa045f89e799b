"""On Spark, a period of time ends by the clock: what is due is delivered soon after, though nothing more is published."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.reference.shard import Shard
from rankcast.language import dumps, encode_event, parse
from rankcast.model import Event, Length, Mode, Policy, Subscription, Unit
from rankcast.pipeline.local import GRACE
from rankcast.pipeline.spark import serve_store
from rankcast.pipeline.spark.failures import wait_for
from rankcast.pipeline.spark.kafka import read_topic
from rankcast.pipeline.topics import Topic
from rankcast.store import Store
from rankcast.store.texts import event_of

PERIOD = timedelta(seconds=2)
SOON = timedelta(seconds=2)
PATIENCE = 60.0
ROUNDS = 16


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "s.db") as store:
        for number in range(4):
            user = f"user{number}"
            policy = Policy(user, mode=Mode.PERIODIC, k=1 + number, length=Length(PERIOD, Unit.TIME))
            store.change(put=[Subscription(f"s{number}", user, parse("x > 0"), 0.5), policy])
        yield store


def events(*numbers):
    return [Event(f"e{number}", datetime.now(UTC), {"x": (number,)}) for number in numbers]


def until(condition, query):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        wait_for(query, 0.02)
        assert time.monotonic() < deadline


def replayed(store):
    """What one shard makes of the log, by when its events were logged, and of the end of the last period."""
    shard, made = Shard(store.catalog()), []
    for row in store.event_texts(0, store.last_offset()):
        made += shard.publish([event_of(row.content, row.offset)], None, [row.logged - GRACE])
    return sorted([*made, *shard.advance(datetime.now(UTC))], key=lambda one: one.order)


def check_soon(store, query, publish):
    """Publish an event and wait for the deliveries of its period. Once in a few rounds they must come soon after its end."""
    for number in range(10, 10 + ROUNDS):
        before = store.last_delivery()
        publish(events(number))
        until(lambda before=before: store.last_delivery() > before, query)
        if min(one.received - one.forwarded for _, one in store.deliveries(after=before)) < GRACE + SOON:
            return
    pytest.fail(f"no period was delivered within {GRACE + SOON} of its end")


def test_a_period_ends_and_a_micro_batch_that_is_run_again_ends_the_same(spark, store, world, tmp_path):
    place = tmp_path / "s.db", tmp_path / "checkpoint"
    calls = []

    def refuse(made):
        calls.append((made.after, made.up_to, made.deliveries.num_rows))
        if len(calls) == 4:
            raise ConnectionError("the sink is away")

    query = serve_store(spark, *place, shards=2, trigger="100 milliseconds", sink=refuse)
    try:
        store.publish(events(1, 2, 3))
        until(lambda: store.last_delivery() == 9, query)
        store.publish(events(4))
        # The store has what the second period owed, but Spark does not know it, as if it had been killed there.
        with pytest.raises(Exception, match="the sink is away"):
            until(lambda: False, query)
    finally:
        query.stop()
    assert calls == [(0, 3, 0), (3, 3, 9), (3, 4, 0), (4, 4, 4)]
    assert world.delivered(store) == replayed(store)
    before = store.last_delivery()

    query = serve_store(spark, *place, shards=2, trigger="100 milliseconds", sink=refuse)
    try:
        until(lambda: len(calls) == 5, query)
        assert calls[4] == calls[3]
        assert store.last_delivery() == before
        check_soon(store, query, store.publish)
    finally:
        query.stop()
    assert world.delivered(store) == replayed(store)
    assert len(world.delivered(store)) == 9 + 4 * (store.last_offset() - 3)


def test_from_a_topic_too(spark, kafka, store, tmp_path):
    kafka.create("clocked")
    topic = read_topic(spark, Topic.of(f"kafka://{kafka.address}/clocked"))

    def publish(made):
        kafka.send("clocked", *(dumps(encode_event(event)) for event in made))

    publish(events(1, 2, 3))
    query = serve_store(
        spark,
        tmp_path / "s.db",
        tmp_path / "checkpoint",
        shards=2,
        events=topic,
        json="json",
        trigger="100 milliseconds",
    )
    try:
        until(lambda: store.pipeline() is not None and store.pipeline().events == 3, query)
        check_soon(store, query, publish)
    finally:
        query.stop()
