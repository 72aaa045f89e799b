"""Deleting a user leaves nothing of them, and everything of the others."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import Column, Integer, MetaData, Text, insert, select

from rankcast.language import decode_event, decode_record
from rankcast.model import Delivery, SetAside
from rankcast.store import AccessLog, AnswerLog, QuietLog, StateChanges, Store, WebhookLog, schema
from rankcast.store.push.digest_log import digests, left_out, schedules
from rankcast.store.push.webhook_log import Secret, Webhook
from rankcast.store.push.webhook_messages import Failure, MessageKey, MessageLog
from rankcast.store.users import delete_user

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def fill(store: Store, user: str) -> None:
    """Give a user something of everything."""
    database = store.database
    number = store.last_offset() + 1
    store.change(
        put=[
            decode_record(
                {"kind": "concept", "attribute": "n", "name": "low", "user": user, "trapezoid": [0, 0, 1, 2]}
            ),
            *(
                decode_record({"kind": "subscription", "id": f"{user}{k}", "user": user, "where": "n is low"})
                for k in "ab"
            ),
            decode_record({"kind": "preference", "user": user, "prefer": f"{user}a", "over": f"{user}b"}),
            decode_record({"kind": "policy", "user": user, "mode": "sliding", "k": 1, "length": 2}),
        ]
    )
    store.publish([decode_event({"id": f"e{number}", "time": "2026-05-01", "attributes": {"n": 1}})])
    delivery = Delivery(user, f"e{number}", number, 1.0, (f"{user}a",), NOW, NOW, number)
    aside = SetAside(user=user, event=f"e{number}", seq=number, version=1, error="it failed")
    store.commit([delivery], number, store.version(), StateChanges(), number - 1, set_aside=[aside])
    log = WebhookLog(database)
    log.add(Webhook(f"wh_{user}", user, "https://example.com", NOW, (Secret("whsec"),)))
    MessageLog(database).failed(f"wh_{user}", MessageKey("delivery.sent", number), 1, Failure("no", None, NOW), NOW)
    QuietLog(database).put(user, {"from": "22:00", "to": "07:00"})
    AccessLog(database).keep(f"t{user}", "user", user, "a phone", b"digest")
    AccessLog(database).keep(f"p{user}", "publisher", user, "", b"digest")
    AnswerLog(database).reserve(f"t{user}", "key", b"request")
    with database.writing() as connection:
        moment = schema.microseconds(NOW)
        connection.execute(
            insert(schedules).values(
                user_id=user, schedule="{}", next_at=moment, delivery_since=0, delivery_reached=0, offset_reached=0,
                catalog_version=0, state=b"",
            )
        )  # fmt: skip
        connection.execute(
            insert(digests).values(
                number=number, user_id=user, schedule="{}", due_at=moment, made_at=moment, delivery_after=0,
                delivery_through=number, offset_after=0, offset_through=number, delivered=1, counts="{}",
            )
        )  # fmt: skip
        connection.execute(
            insert(left_out).values(digest=number, position=1, event_id="e", seq=1, rank=1.0, reason="x", detail="")
        )


def rows(store: Store) -> dict[str, list[str]]:
    with store.database.reading() as connection:
        return {
            table.name: sorted(str(row) for row in connection.execute(select(table)))
            for table in schema.metadata.sorted_tables
            if table.name not in ("log_marks", "catalog_versions", "catalog_changes", "pipeline", "progress", "events")
        }


@pytest.fixture
def filled(store):
    for user in ("ann", "bob"):
        fill(store, user)
    return store


def test_nothing_is_left_but_what_is_others(filled):
    before = rows(filled)
    deleted = delete_user(filled.database, "bob")
    after = rows(filled)
    for table, lines in after.items():
        kept = [
            line for line in before[table] if "bob" not in line and not (table == "digest_left_out" and "(2," in line)
        ]
        changed = [line for line in lines if line not in before[table]]
        assert [line for line in lines if line in before[table]] == [line for line in before[table] if line in lines], (
            table
        )
        if table != "access_tokens":
            assert lines == kept, table
            assert changed == []
    assert deleted["tokens"] == 1
    assert deleted["deliveries"] == deleted["webhooks"] == deleted["set_aside"] == deleted["digests"] == 1
    assert deleted["records"] == 4
    text = str({name: lines for name, lines in after.items() if name != "access_tokens"})
    assert "bob" not in text
    kept_tokens = {token.id: token for token in AccessLog(filled.database).tokens()}
    assert kept_tokens["tbob"].revoked is not None
    assert kept_tokens["tbob"].name == kept_tokens["tbob"].note == ""
    assert kept_tokens["pbob"].revoked is None  # a publisher of that name is somebody else


def test_the_numbers_go_on(filled):
    delete_user(filled.database, "bob")  # whose delivery and digest were the last
    assert filled.last_delivery() == 2
    fill(filled, "cho")
    assert [number for number, _ in filled.deliveries()] == [1, 3]
    assert [row.number for row in filled.set_aside()] == [1, 3]


def test_a_user_who_is_not_there(filled):
    before = rows(filled)
    assert delete_user(filled.database, "nobody") == {}
    assert rows(filled) == before


def test_a_failure_leaves_everything(filled, monkeypatch):
    before = rows(filled)
    # A table that comes later and is not in the database.
    broken = MetaData()
    for table in schema.metadata.sorted_tables:
        table.to_metadata(broken)
    from sqlalchemy import Table

    Table("aaa_later", broken, Column("id", Integer, primary_key=True), Column("user_id", Text))
    monkeypatch.setattr(schema, "metadata", broken)
    with pytest.raises(Exception, match="aaa_later"):
        delete_user(filled.database, "bob")
    monkeypatch.undo()
    assert rows(filled) == before
