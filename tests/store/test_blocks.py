"""The deliveries of a user are found in whatever blocks they are."""

from datetime import UTC, datetime
from itertools import product

import pytest
from sqlalchemy import insert, text

from rankcast.store import MessageLog, Store, WebhookLog, schema
from rankcast.store.blocks import blocks_between, count_after, start_of_newest
from rankcast.store.push.webhook_log import DELIVERY, Secret, Webhook
from rankcast.store.push.webhook_messages import MessageCounts, MessageKey

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
SIZE = 2**schema.DELIVERY_BLOCK
ANN = [7, SIZE - 1, SIZE, SIZE + 5, 3 * SIZE - 1, 3 * SIZE, 4 * SIZE + 2]
"""Nothing in the second block from the end, and something on both sides of every edge."""
BOB = [8, 3 * SIZE + 1, 4 * SIZE + 3]
PLACES = [0, 6, 7, SIZE - 1, SIZE, 2 * SIZE, 3 * SIZE - 1, 4 * SIZE + 1, 4 * SIZE + 2, 9 * SIZE]


@pytest.fixture
def store(store):
    rows = [
        {"number": number, "user_id": user, "event_id": f"e{number}", "seq": number, "rank": 1.0, "subscriptions": "[]"}
        | {"published": 0, "forwarded": 0, "window_number": 0}
        for user, numbers in (("ann", ANN), ("bob", BOB))
        for number in numbers
    ]
    with store.database.writing() as connection:
        connection.execute(insert(schema.deliveries), rows)
    return store


# One store for all cases, which only read: making one takes longer than all the rest.
USERS = (("ann", ANN), ("bob", BOB), ("carl", []), (None, sorted(ANN + BOB)))


def test_deliveries_after_a_number(store):
    for after, limit, (user, numbers) in product(PLACES, [None, 1, 2, 100], USERS):
        wanted = [number for number in numbers if number > after]
        assert [number for number, _ in store.deliveries(user, after, limit)] == wanted[:limit], (after, limit)
        if limit is not None:
            assert count_after(store.database, user, after, limit) == min(limit, len(wanted)), (after, limit)


def test_the_newest_before_a_number(store):
    for before, limit, (user, numbers) in product([None, *PLACES], [1, 2, 3, 100], USERS):
        wanted = [number for number in numbers if before is None or number < before][-limit:]
        found = start_of_newest(store.database, user, before, limit)
        assert found == (wanted[0] if wanted else None), (before, limit)


def test_messages_to_webhooks(store):
    log, hooks = MessageLog(store.database), WebhookLog(store.database)
    for user in ("ann", "carl"):
        hooks.add(Webhook(f"wh_{user}", user, "https://example.org", NOW, (Secret("whsec_a"),)))
    left = list(ANN)
    while left:
        assert [webhook.id for webhook in log.ready(NOW)] == ["wh_ann"]
        assert log.counts() == log.counts("wh_ann") == MessageCounts(len(left), 0, 0)
        assert [key for key, _ in log.next("wh_ann", NOW, 3)] == [MessageKey(DELIVERY, number) for number in left[:3]]
        log.accepted("wh_ann", [MessageKey(DELIVERY, left.pop(0))], NOW)
    assert log.ready(NOW) == []


def test_blocks_without_deliveries(store):
    with store.database.writing() as connection:
        assert blocks_between(connection, 0) == range(5)
        assert blocks_between(connection, SIZE, 2 * SIZE) == range(1, 2)
        assert blocks_between(connection, 4 * SIZE + 3) == range(0)
        connection.execute(schema.deliveries.delete().where(schema.deliveries.c.number < 3 * SIZE))
        assert blocks_between(connection, 0) == range(3, 5)
        connection.execute(schema.deliveries.delete())
        assert blocks_between(connection, 0) == range(0)


def test_sqlite_goes_by_the_index(tmp_path):
    block = f"(number >> {schema.DELIVERY_BLOCK})"
    query = f"SELECT * FROM deliveries WHERE {block} = 3 AND user_id = 'ann' AND number > 5 ORDER BY number"
    with Store.create(tmp_path / "s.db") as store, store.database.reading() as connection:
        plan = [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
    assert plan == ["SEARCH deliveries USING INDEX ix_deliveries_user (<expr>=? AND user_id=? AND rowid>?)"]
