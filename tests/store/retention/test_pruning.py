"""Pruning takes what the rules say and nobody needs, and nothing else; everything goes on as if nothing had gone."""

import sqlite3
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, insert, select

from rankcast.errors import ModelError, StoreError
from rankcast.language import decode_event, decode_record
from rankcast.model import Reject, SetAside
from rankcast.model.actors import OPERATOR, acting
from rankcast.pipeline.local import serve_pending
from rankcast.pipeline.state_changes import rebuild
from rankcast.store import AccessLog, AuditLog, DigestLog, MessageLog, SessionLog, StateChanges, Store, WebhookLog
from rankcast.store.blocks import bounds
from rankcast.store.leases import Lease
from rankcast.store.pipelines import BatchCounts
from rankcast.store.push.digest_log import KeptSchedule, PipelineMoment, digests
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, Secret, Webhook
from rankcast.store.push.webhook_messages import Failure, MessageKey
from rankcast.store.retention.pruning import prune, shrink
from rankcast.store.retention.rules import DEFAULTS, RetentionRule, rules_of
from rankcast.store.schema import catalog_changes, catalog_versions, microseconds
from rankcast.testing.clocks import SettableClock

START = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)
ALL = {name: RetentionRule(age=timedelta(hours=1)) for name in DEFAULTS}


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(START)


@pytest.fixture
def store(place, clock):
    with Store.create(place, clock=clock) as store:
        yield store


def event(number: int, **attributes: object):
    return decode_event({"id": f"e{number}", "time": "2026-05-01", "attributes": {"n": number, **attributes}})


def subscription(user: str, where: str = "true", name: str | None = None):
    return decode_record({"kind": "subscription", "id": name or f"s-{user}", "user": user, "where": where})


def policy(user: str, k: int, length: int):
    return decode_record({"kind": "policy", "user": user, "mode": "sliding", "k": k, "length": length})


def day(store: Store, clock: SettableClock, number: int, serve: bool = True) -> None:
    """A day on which ten events are published, and served."""
    store.publish([event(k) for k in range(10 * number + 1, 10 * number + 11)])
    if serve:
        list(serve_pending(store))
    clock.time += DAY


def kept(store: Store) -> list[int]:
    return [logged.offset for logged in store.events()]


def taken(done) -> dict[str, int]:
    return {one.kind: one.rows for one in done if one.rows}


def test_by_age_and_by_rows(store, clock):
    store.change(put=[subscription("ann")])
    for number in range(4):
        day(store, clock, number)
    rules = {"events": RetentionRule(age=2 * DAY), "deliveries": RetentionRule(rows=15)}
    would = prune(store.database, rules, dry_run=True)
    assert taken(would) == {"events": 20, "deliveries": 25}
    assert kept(store) == list(range(1, 41))
    told: list[int] = []
    assert prune(store.database, rules, advance=told.append) == would
    assert sum(told) == 45
    assert kept(store) == list(range(21, 41))
    assert [number for number, _ in store.deliveries()] == list(range(26, 41))
    assert taken(prune(store.database, rules)) == {}


def test_rejects_and_what_was_set_aside_go_by_age_by_rows_and_by_bytes(store, clock):
    for first in (1, 11, 21, 31):
        store.publish([event(k) for k in range(first, first + 10)])
        aside = [SetAside("ben", f"e{k}", k, 0, f"{k}: " + "x" * 900) for k in range(first, first + 10)]
        store.commit([], first + 9, 0, StateChanges(), first - 1, set_aside=aside)
        store.reject([Reject("f", k, "bad", "x" * 900) for k in range(first, first + 10)])
        clock.time += DAY
    for left, rule in ((20, RetentionRule(age=2 * DAY)), (15, RetentionRule(rows=15))):
        gone = len(store.rejects()) - left
        assert taken(prune(store.database, {"rejects": rule, "set-aside": rule})) == {
            "rejects": gone,
            "set-aside": gone,
        }
        assert [one.line for one in store.rejects()] == list(range(41 - left, 41))
        assert [one.seq for one in store.set_aside()] == list(range(41 - left, 41))
    rule = RetentionRule(bytes=5_000)
    prune(store.database, {"rejects": rule, "set-aside": rule})
    for kept_rows in (store.rejects(), store.set_aside()):
        assert 3 <= len(kept_rows) <= 5


def test_numbers_go_on_after_everything_has_gone(store, clock):
    store.change(put=[subscription("ann")])
    day(store, clock, 0)
    store.reject([Reject("f", 1, "bad", "x")])
    clock.time += DAY
    prune(store.database, ALL)
    assert kept(store) == []
    assert list(store.deliveries()) == []
    assert (store.last_offset(), store.last_delivery(), store.stats().events) == (10, 10, 10)
    assert bounds(store.database) == (11, 10)
    store.reject([Reject("f", 1, "bad", "x")])
    day(store, clock, 1)
    assert kept(store) == list(range(11, 21))
    assert [number for number, _ in store.deliveries()] == list(range(11, 21))
    assert [delivery.seq for _, delivery in store.deliveries()] == list(range(11, 21))


def test_an_id_that_was_pruned_may_be_published_again_as_a_new_event(store, clock):
    store.change(put=[subscription("ann")])
    day(store, clock, 0)
    clock.time += DAY
    prune(store.database, {"events": RetentionRule(age=DAY)})
    assert store.publish([event(1)])[0] == ("e1", 11, False)


def test_what_was_not_served_stays_and_the_deliveries_are_those_of_a_run_without_pruning(store, clock, tmp_path):
    def run(into: Store, pruned: bool) -> list[tuple[int, object]]:
        into.change(put=[subscription("ann", "n > 0"), policy("ann", 2, 7)])
        for number in range(6):
            into.change(put=[subscription("bob", f"n > {number}")])
            day(into, clock, number, serve=number % 2 == 1)
            if pruned:
                prune(
                    into.database,
                    {"events": RetentionRule(age=timedelta(hours=1)), "catalog": RetentionRule(age=timedelta(hours=1))},
                )
        return [(one.seq, one.user) for _, one in into.deliveries()]

    with Store.create(tmp_path / "whole.db", clock=clock) as whole:
        expected = run(whole, pruned=False)
        clock.time = START
        assert run(store, pruned=True) == expected
    assert kept(store) == []
    with store.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(catalog_changes)).scalar_one() <= 4
        assert connection.execute(select(func.count()).select_from(catalog_versions)).scalar_one() <= 4


def test_events_that_wait_for_the_pipeline_stay(store, clock):
    day(store, clock, 0)
    day(store, clock, 1, serve=False)
    clock.time += 30 * DAY
    assert taken(prune(store.database, ALL))["events"] == 10
    assert kept(store) == list(range(11, 21))


def test_spark_may_run_its_last_micro_batch_again(store, clock):
    store.publish([event(k) for k in range(1, 31)])
    store.claim("p1", "checkpoint", 1)
    store.commit_batch("p1", {}, [], BatchCounts(0), 0, 10, 0)
    store.commit_batch("p1", {}, [], BatchCounts(1), 10, 20, 0)
    clock.time += DAY
    prune(store.database, ALL)
    assert kept(store) == list(range(11, 31))


def test_a_digest_and_a_webhook_keep_what_they_need(store, clock):
    store.change(put=[subscription("ann"), subscription("bob")])
    day(store, clock, 0)
    DigestLog(store.database).put_schedule(KeptSchedule("ann", {}, START, 4, PipelineMoment(6, 1, 8), b""))
    clock.time += DAY
    prune(store.database, ALL)
    assert kept(store)[0] <= 5  # of the ninth delivery, the first that no digest holds
    assert next(iter(store.deliveries()))[0] == 9
    DigestLog(store.database).remove_schedule("ann")
    WebhookLog(store.database).add(
        Webhook("wh", "bob", "https://example.org", START, (Secret("whsec_a"),), delivery_reached=15)
    )
    MessageLog(store.database).failed("wh", MessageKey(DELIVERY, 12), 1, Failure("no", None, clock.time), clock.time)
    prune(store.database, {name: rule for name, rule in ALL.items() if name != "dead-letters"})
    assert [number for number, _ in store.deliveries()] == [12, 16, 17, 18, 19, 20]
    assert {event.event.id for event in store.events()} >= {one.event for _, one in store.deliveries()}


def test_a_digest_keeps_the_events_and_the_catalog_since_the_one_before(store, clock):
    first = store.change(put=[subscription("ann")])
    day(store, clock, 0)
    DigestLog(store.database).put_schedule(KeptSchedule("ann", {}, START, 4, PipelineMoment(7, first, 10), b""))
    store.change(put=[subscription("bob")])
    day(store, clock, 1)
    prune(store.database, ALL)
    assert kept(store) == list(range(8, 21))
    DigestLog(store.database).remove_schedule("ann")
    DigestLog(store.database).put_schedule(KeptSchedule("ann", {}, START, 4, PipelineMoment(10, first, 30), b""))
    prune(store.database, ALL)
    assert kept(store) == list(range(11, 21))
    assert [one.id for one in store.catalog(first).subscriptions_of("ann")] == ["s-ann"]
    DigestLog(store.database).remove_schedule("ann")
    prune(store.database, ALL)
    assert kept(store) == []
    with pytest.raises(StoreError, match="version 1 of the catalog was pruned"):
        store.catalog(first)


def test_a_digest_that_a_webhook_waits_for_keeps_its_deliveries(store, clock):
    store.change(put=[subscription("ann")])
    day(store, clock, 0)
    moment = microseconds(clock.time)
    with store.database.writing() as connection:
        connection.execute(
            insert(digests).values(
                number=1, user_id="ann", schedule="{}", due_at=moment, made_at=moment, delivery_after=6,
                delivery_through=10, offset_after=0, offset_through=10, delivered=4, counts="{}",
            )
        )  # fmt: skip
    log, hook = WebhookLog(store.database), Secret("whsec_a")
    log.add(Webhook("wh", "ann", "https://example.org", START, (hook,), types=(DIGEST,), delivery_reached=10))
    clock.time += DAY
    rules = {"events": RetentionRule(age=timedelta(hours=1)), "deliveries": RetentionRule(age=timedelta(hours=1))}
    prune(store.database, rules)
    assert [number for number, _ in store.deliveries()] == [7, 8, 9, 10]
    assert kept(store) == [7, 8, 9, 10]
    log.remove("wh")
    prune(store.database, rules)
    assert list(store.deliveries()) == []


def test_what_was_set_aside_keeps_its_version_of_the_catalog(store, clock):
    first = store.change(put=[subscription("ann")])
    store.publish([event(1)])
    aside = SetAside(user="ann", event=None, seq=1, version=first, error="the user is out")
    store.commit([], 1, first, StateChanges(), 0, set_aside=[aside])
    store.change(put=[subscription("bob")])
    day(store, clock, 1)
    clock.time += DAY
    rules = {"catalog": RetentionRule(age=timedelta(hours=1)), "events": RetentionRule(age=timedelta(hours=1))}
    prune(store.database, rules)
    assert kept(store) == []
    assert [one.id for one in store.catalog(first).subscriptions_of("ann")] == ["s-ann"]


def test_what_was_set_aside_keeps_its_event(store, clock):
    store.publish([event(1), event(2)])
    aside = SetAside(user="ann", event="e2", seq=2, version=0, error="it failed")
    store.commit([], 2, 0, StateChanges(), 0, set_aside=[aside])
    clock.time += DAY
    rules = {"events": RetentionRule(age=timedelta(hours=1))}
    prune(store.database, rules)
    assert kept(store) == [2]
    prune(store.database, {"set-aside": RetentionRule(age=timedelta(hours=1))})
    prune(store.database, rules)
    assert kept(store) == []


def test_nothing_of_the_last_ten_minutes_goes_however_many_rows_there_are(store, clock):
    store.change(put=[subscription("ann")])
    store.publish([event(k) for k in range(1, 21)])
    list(serve_pending(store))
    clock.time += timedelta(minutes=9)
    rules = {"events": RetentionRule(rows=1), "deliveries": RetentionRule(rows=1)}
    assert taken(prune(store.database, rules)) == {}
    clock.time += timedelta(minutes=2)
    assert taken(prune(store.database, rules)) == {"events": 19, "deliveries": 19}


def test_earlier_versions_of_the_catalog(store, clock, place):
    versions = [
        store.change(
            put=[decode_record({"kind": "concept", "attribute": "n", "name": "low", "trapezoid": [0, 0, 1, 2]})]
        ),
        store.change(put=[subscription("ann", "true", "a"), subscription("bob", "true", "b")]),
        store.change(put=[subscription("cho", "n is low", "c")]),
        store.change(put=[subscription("ann", "n is low", "a")]),
        store.change(
            put=[decode_record({"kind": "concept", "attribute": "n", "name": "high", "trapezoid": [2, 3, 4, 5]})]
        ),
        store.change(put=[subscription("cho", "n is high", "c")]),
    ]
    store.change(remove=[subscription("bob", "true", "b")])
    fifth, last = store.catalog(versions[5]), store.catalog()
    list(store.catalog(versions[2]).records())  # so that an early version is in the cache
    clock.time += DAY
    newest = store.change(put=[subscription("dan")])
    store.publish([event(1)])
    list(serve_pending(store))
    done = prune(store.database, {"catalog": RetentionRule(age=timedelta(hours=1))})
    assert taken(done)["catalog"] > 0
    with Store.open(place) as other:
        for reader in (store, other):
            assert list(reader.catalog(newest - 1).records()) == list(last.records())
            assert sorted(map(repr, reader.catalog(newest).records())) == sorted(
                map(repr, [*last.records(), subscription("dan")])
            )
            with pytest.raises(StoreError, match=r"version 3 of the catalog was pruned; the oldest that is kept is"):
                reader.catalog(3)
            with pytest.raises(StoreError, match=r"changes of the catalog after version 3 were pruned"):
                list(reader.changes(3))
            again = [change.record for change in reader.changes(0) if not change.removed]
            assert sorted(map(repr, again)) == sorted(map(repr, reader.catalog().records()))
    assert len(list(fifth.records())) == 5


def test_one_process_prunes_at_a_time(store, clock):
    Lease(store.database, "retention", "another").hold(clock.time, timedelta(minutes=2))
    with pytest.raises(StoreError, match="is being pruned by another process"):
        prune(store.database, ALL)
    clock.time += timedelta(minutes=3)
    prune(store.database, ALL)


def test_state_cannot_be_made_anew_from_a_log_that_was_pruned(store, clock):
    store.change(put=[subscription("ann")])
    day(store, clock, 0)
    clock.time += DAY
    prune(store.database, ALL)
    with pytest.raises(StoreError, match=r"the events up to offset 10 were pruned.*--from-offset 10"):
        list(rebuild(store, 1))


@pytest.mark.parametrize("text", ["events", "event=1d", "events=0", "events=5m", "events=soon", "events=-1"])
def test_a_rule_that_is_none_is_refused(text):
    with pytest.raises(Exception, match=r"rule|called|rows|shortest|length of time|duration|must"):
        rules_of([text], {})


def pages(store: Store) -> int:
    with store.database.reading() as connection:
        return int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())


def test_a_file_of_an_earlier_release_shrinks_once_it_is_written_anew(tmp_path):
    with Store.create(tmp_path / "store.db") as store, store.database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() == 2  # incremental
    raw = sqlite3.connect(tmp_path / "store.db")
    raw.execute("PRAGMA journal_mode = DELETE")
    raw.execute("PRAGMA auto_vacuum = NONE")
    raw.execute("VACUUM")
    raw.close()
    with Store.open(tmp_path / "store.db") as store:
        assert store.database.shrink(10) == 0
        store.database.rewrite()
        with store.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() == 2


def test_publishing_does_not_wait_for_pruning(tmp_path):
    clock = SettableClock(START)
    with Store.create(tmp_path / "store.db", clock=clock) as store:
        store.publish([event(k, text="x" * 200) for k in range(4_000)])
        store.commit([], 4_000, 0, StateChanges(), 0)
        before = pages(store)
        clock.time += 2 * DAY
        waits: list[float] = []
        ended = threading.Event()

        def publish() -> None:
            with Store.open(tmp_path / "store.db", clock=clock) as other:
                number = 4_000
                while not ended.is_set():
                    number += 1
                    begun = time.monotonic()
                    other.publish([event(number)])
                    waits.append(time.monotonic() - begun)
                    time.sleep(0.02)

        thread = threading.Thread(target=publish)
        thread.start()
        try:
            prune(store.database, {"events": RetentionRule(age=DAY)})
            shrink(store.database)
        finally:
            ended.set()
            thread.join()
        assert kept(store)[0] == 4_001
        waits.sort()
        assert waits[len(waits) // 2] < 0.05
        assert waits[int(len(waits) * 0.95)] < 0.25  # of a machine that may be busy
        assert pages(store) < before / 2


@pytest.mark.parametrize("rows", [10, 9_000])
def test_a_log_is_kept_to_a_size_in_bytes(store, clock, rows):
    text = "x" * 900
    store.reject([Reject("f", n, "r" * 100, text) for n in range(rows)])  # 1,100 bytes each, with what a row counts
    clock.time += DAY
    rules = rules_of(["rejects=5500B"], {})
    assert prune(store.database, rules, dry_run=True)[0].rows == rows - 5
    assert prune(store.database, rules)[0].rows == rows - 5
    assert [reject.line for reject in store.rejects()] == list(range(rows - 5, rows))
    assert prune(store.database, rules)[0].rows == 0
    store.reject([Reject("f", rows, "r" * 100, text)])
    assert prune(store.database, rules)[0].rows == 1  # the new one counts, and the oldest goes for it
    assert prune(store.database, rules_of(["rejects=1B"], {}))[0].rows == 4  # what is younger than ten minutes stays


def test_the_bytes_of_a_text_are_counted_not_its_characters(store, clock):
    store.reject([Reject("f", n, "ä" * 500, "") for n in range(2)])
    clock.time += DAY
    assert prune(store.database, rules_of(["rejects=1500B"], {}), dry_run=True)[0].rows == 1


def test_the_catalog_is_kept_to_a_size(store, clock):
    for number in range(20):
        store.change(put=[policy("ann", 1, number + 1)])
    store.publish([event(1)])
    list(serve_pending(store))
    clock.time += DAY
    done = prune(store.database, rules_of(["catalog=1KB"], {}))
    assert 0 < done[0].rows < 20


def test_the_audit_trail_is_pruned_by_its_rule(store, clock):
    with acting(OPERATOR):
        for number in range(3):
            store.change(put=[policy("ann", 1, number + 1)])
    clock.time += 400 * DAY
    assert [one.rows for one in prune(store.database, {"audit": DEFAULTS["audit"]})] == [3]
    assert AuditLog(store.database).entries() == []
    with acting(OPERATOR):
        store.change(put=[policy("ann", 1, 9)])
    assert [one.number for one in AuditLog(store.database).entries()] == [4]


def test_what_an_operator_prunes_is_in_the_audit_trail(store, clock):
    store.reject([Reject("f", 1, "r", "x")])
    clock.time += DAY
    with acting(OPERATOR):
        prune(store.database, {"rejects": RetentionRule(age=timedelta(hours=1))})
        prune(store.database, {"rejects": RetentionRule(age=timedelta(hours=1))})
    assert [one.detail for one in AuditLog(store.database).entries()] == ["1 rejects; rules: rejects=1h"]


def test_sessions_that_have_ended_are_pruned_and_no_others(store, clock):
    access = AccessLog(store.database)
    for name in ("ann", "bob"):
        access.keep(f"t-{name}", "user", name, "", b"digest")
    short = SessionLog(store.database, DAY, DAY)
    long = SessionLog(store.database, 1_000 * DAY, 1_000 * DAY)
    long.open(b"revoked", "t-bob")
    long.open(b"live", "t-ann")
    short.open(b"ended", "t-ann")
    access.revoke("t-bob")
    clock.time += 30 * DAY
    rules = {"sessions": DEFAULTS["sessions"]}
    assert prune(store.database, rules)[0].rows == 0
    clock.time += 70 * DAY
    assert prune(store.database, rules, dry_run=True)[0].rows == 2
    assert prune(store.database, rules)[0].rows == 2
    assert [one.id for one in long.live()] == [b"live"]


def test_kinds_without_a_size_say_so():
    with pytest.raises(ModelError, match="cannot be limited in bytes; give an age or a number of rows"):
        rules_of(["sessions=1MB"], {})
    with pytest.raises(ModelError, match="a size must be from 1 B to"):
        rules_of(["events=0KB"], {})
