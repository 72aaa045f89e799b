"""The audit trail says who changed what is not their own, in the transaction of the change."""

from datetime import UTC, datetime, timedelta

import pytest

from rankcast.errors import CatalogError
from rankcast.language import decode_record
from rankcast.model.actors import OPERATOR, Actor, acting
from rankcast.store import AccessLog, AuditLog, QuietLog, SessionLog, Store, WebhookLog
from rankcast.store.audit_log import ACTIONS, AuditAction, note_now, note_retention
from rankcast.store.push.webhook_log import Secret, Webhook
from rankcast.store.users import delete_user

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ADMIN = Actor("administrator 0123456789ab")
ANN = Actor("user ann", own="ann")


def subscription(user: str, name: str = "s1"):
    return decode_record({"kind": "subscription", "id": f"{user}-{name}", "user": user, "where": "n = 1"})


def trail(store: Store) -> list[tuple[str, str, str | None]]:
    """Who, what, whose; oldest first."""
    return [(one.who, one.action, one.subject) for one in AuditLog(store.database).entries()[::-1]]


def test_every_action_has_its_meaning():
    assert set(ACTIONS) == set(AuditAction)


def test_what_is_ones_own_is_nobodys_business(store):
    with acting(ANN):
        store.change(put=[subscription("ann")])
        QuietLog(store.database).put("ann", {"from": "22:00"})
    store.change(put=[subscription("bob")])  # by a program that does not say who it is
    assert trail(store) == []


def test_each_change_of_anothers_is_an_entry(store):
    database = store.database
    with acting(ADMIN):
        AccessLog(database).keep("t1", "user", "ann", "", b"digest", NOW)
        AccessLog(database).revoke("t1")
        AccessLog(database).revoke("t1")  # which changes nothing
        store.change(put=[subscription("ann")])
        store.change(put=[subscription("ann")])  # neither does this
        store.change(put=[subscription("ann", str(n)) for n in range(7)] + [subscription("bob")])
        SessionLog(database, timedelta(days=1), timedelta(days=1)).end_of("user", "ann")
        hooks = WebhookLog(database)
        hooks.add(Webhook("wh_1", "ann", "https://example.com", NOW, (Secret("whsec"),)))
        hooks.disable("wh_1", "because")
        hooks.remove("wh_1")
        QuietLog(database).put("ann", {"from": "22:00"})
        assert delete_user(database, "ann")
        assert not delete_user(database, "ann")
    assert trail(store) == [
        (ADMIN.who, "token.create", "ann"),
        (ADMIN.who, "token.revoke", "ann"),
        (ADMIN.who, "records.change", "ann"),
        (ADMIN.who, "records.change", None),
        (ADMIN.who, "sessions.end", "ann"),
        *[(ADMIN.who, "webhook.change", "ann")] * 3,
        (ADMIN.who, "push.change", "ann"),
        (ADMIN.who, "records.change", "ann"),
        (ADMIN.who, "user.delete", "ann"),
    ]
    details = [one.detail for one in AuditLog(database).entries()[::-1]]
    assert details[2] == "put subscription ann-s1"
    assert details[3].endswith("and 3 more (of 2 owners)")
    assert "8 records" in details[-1]


def test_a_user_who_deletes_themselves_is_in_it(store):
    with acting(ANN):
        store.change(put=[subscription("ann")])
        delete_user(store.database, "ann")
    assert trail(store) == [("user ann", "user.delete", "ann")]


def test_a_change_that_is_refused_leaves_no_entry(store):
    store.change(put=[subscription("ann")])
    with acting(ADMIN), pytest.raises(CatalogError):
        store.change(put=[decode_record({"kind": "subscription", "id": "ann-s1", "user": "bob", "where": "n = 1"})])
    with acting(ADMIN), pytest.raises(CatalogError):
        AccessLog(store.database).revoke("none")
    assert trail(store) == []


def test_entries_are_found_by_time_actor_and_user(place):
    now = [NOW]
    with Store.create(place, clock=lambda: now[0]) as store:
        for number, actor in enumerate((OPERATOR, ADMIN, ADMIN)):
            now[0] = NOW + timedelta(hours=number)
            with acting(actor):
                store.change(put=[subscription("ann", str(number))])
        log = AuditLog(store.database)
        assert [one.number for one in log.entries()] == [3, 2, 1]
        assert [one.number for one in log.entries(limit=1, before=3)] == [2]
        assert [one.number for one in log.entries(since=NOW + timedelta(hours=1))] == [3, 2]
        assert [one.number for one in log.entries(who="operator")] == [1]
        assert log.entries(who="%") == []
        assert len(log.entries(subject="ann")) == 3
        assert log.entries(subject="bob") == []


def test_a_long_detail_is_cut(store):
    with acting(OPERATOR):
        note_now(store.database, AuditAction.BACK_UP, None, "x" * 5_000 + "\0")
    assert len(AuditLog(store.database).entries()[0].detail) == 1_000


def test_rules_of_retention_are_noted_when_they_change(store):
    with acting(OPERATOR):
        for rules in ("usual", "usual", "events=30d", "events=30d", "usual"):
            note_retention(store.database, rules, "usual")
    note_retention(store.database, "by a program", "usual")
    assert [one.detail for one in AuditLog(store.database).entries()[::-1]] == ["events=30d", "usual"]
