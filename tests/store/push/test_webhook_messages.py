from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.language import decode_record
from rankcast.model import Event
from rankcast.pipeline.local import serve_pending
from rankcast.store import DigestLog, MessageLog, WebhookLog
from rankcast.store.push.digest_log import KeptSchedule, PipelineMoment
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, Secret, Webhook
from rankcast.store.push.webhook_messages import Failure, MessageCounts, MessageKey

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOOK = Webhook("wh_1", "ann", "https://example.org", NOW, (Secret("whsec_a"),))


def delivery(number: int) -> MessageKey:
    return MessageKey(DELIVERY, number)


@pytest.fixture
def log(store) -> MessageLog:
    """Five deliveries to ann, and a webhook that was sent none of them."""
    store.change(put=[decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "true"})])
    store.publish([Event(f"e{number}", NOW, {}) for number in range(1, 6)])
    list(serve_pending(store))
    WebhookLog(store.database).add(HOOK)
    return MessageLog(store.database)


def keys(log: MessageLog, now: datetime = NOW, limit: int = 10) -> list[tuple[MessageKey, int]]:
    return log.next("wh_1", now, limit)


def test_first_come_the_deliveries_in_order(log):
    assert [webhook.id for webhook in log.ready(NOW)] == ["wh_1"]
    assert keys(log, limit=2) == [(delivery(1), 0), (delivery(2), 0)]
    log.accepted("wh_1", [delivery(1)], NOW)
    assert keys(log, limit=2) == [(delivery(2), 0), (delivery(3), 0)]
    assert log.counts() == log.counts("wh_1") == MessageCounts(4, 0, 0)


def test_what_failed_comes_again_before_the_others_when_it_is_due(log, store):
    log.failed("wh_1", delivery(1), 1, Failure("no", NOW + MINUTE, NOW), NOW)
    assert keys(log)[0] == (delivery(2), 0)
    assert keys(log, NOW + MINUTE)[:2] == [(delivery(1), 1), (delivery(2), 0)]
    webhook = WebhookLog(store.database).webhook("wh_1")
    assert (webhook.failures, webhook.failing_since, webhook.last_failure) == (1, NOW, "no")
    log.failed("wh_1", delivery(1), 2, Failure("never", None, NOW), NOW + MINUTE)
    assert keys(log, NOW + MINUTE)[0] == (delivery(2), 0)
    assert log.counts() == MessageCounts(4, 0, 1)
    (dead,) = log.dead("wh_1", None, 10)
    assert (dead.key, dead.attempts, dead.reason, dead.failed) == (delivery(1), 2, "never", NOW + MINUTE)


def test_nothing_comes_while_it_is_paused_disabled_or_gone(log, store):
    log.failed("wh_1", delivery(1), 1, Failure("no", NOW, NOW + MINUTE), NOW)
    assert (keys(log), log.ready(NOW)) == ([], [])
    assert keys(log, NOW + MINUTE)[0] == (delivery(1), 1)
    WebhookLog(store.database).disable("wh_1", "enough")
    assert (keys(log, NOW + MINUTE), log.ready(NOW + MINUTE)) == ([], [])
    WebhookLog(store.database).remove("wh_1")
    assert keys(log, NOW + MINUTE) == []
    log.accepted("wh_1", [delivery(2)], NOW)
    log.failed("wh_1", delivery(2), 1, Failure("no", NOW, NOW), NOW)
    assert log.counts() == MessageCounts(0, 0, 0)


def test_a_failure_can_disable(log, store):
    log.failed("wh_1", delivery(1), 1, Failure("no", NOW, NOW, "for days"), NOW)
    webhook = WebhookLog(store.database).webhook("wh_1")
    assert (webhook.active, webhook.disabled_because) == (False, "for days")


def test_digests_that_are_not_empty_come_after_the_deliveries_before_them(log, store):
    digests = DigestLog(store.database)
    start = KeptSchedule("ann", {}, NOW, 2, PipelineMoment(2, 1, 2), b"")
    digests.put_schedule(start)
    digests.add(start, PipelineMoment(4, 1, 4), 2, {}, (), b"", NOW, NOW)
    digests.add(digests.schedule("ann"), PipelineMoment(4, 1, 4), 0, {}, (), b"", NOW, NOW)
    assert keys(log) == [(delivery(1), 0), (delivery(2), 0), (MessageKey(DIGEST, 1), 0)]
    log.accepted("wh_1", [delivery(1), delivery(2), MessageKey(DIGEST, 1)], NOW)
    assert keys(log) == []
    digests.remove_schedule("ann")
    assert keys(log) == [(delivery(5), 0)]
    assert log.counts() == MessageCounts(1, 0, 0)


def test_dead_letters_of_both_types_by_page_and_replayed(log):
    for key in (delivery(1), MessageKey(DIGEST, 1), delivery(2)):
        log.failed("wh_1", key, 8, Failure("no", None, NOW), NOW)
    first = log.dead("wh_1", None, 2)
    rest = log.dead("wh_1", first[-1].key, 2)
    assert [dead.key for dead in first + rest] == [delivery(1), MessageKey(DIGEST, 1), delivery(2)]
    assert log.replay("wh_1", [delivery(2), delivery(3)], NOW) == 1
    assert log.replay("wh_1", None, NOW) == 2
    assert log.replay("wh_1", None, NOW) == 0
    assert [attempts for _, attempts in keys(log)[:3]] == [0, 0, 0]


def test_the_digests_of_one_user_do_not_keep_the_deliveries_of_another(log, store):
    digests = DigestLog(store.database)
    start = KeptSchedule("bob", {}, NOW, 0, PipelineMoment(0, 0, 0), b"")
    digests.put_schedule(start)
    digests.add(start, PipelineMoment(5, 1, 5), 5, {}, (), b"", NOW, NOW)
    WebhookLog(store.database).add(replace(HOOK, id="wh_2", user="bob"))
    assert [webhook.id for webhook in log.ready(NOW)] == ["wh_1", "wh_2"]
    assert len(keys(log)) == 5
    assert log.next("wh_2", NOW, 10) == [(MessageKey(DIGEST, 1), 0)]
    assert log.counts("wh_1") == MessageCounts(5, 0, 0)


def test_others_are_not_concerned(log, store):
    WebhookLog(store.database).add(replace(HOOK, id="wh_2"))
    WebhookLog(store.database).add(replace(HOOK, id="wh_3", user="bob"))
    log.failed("wh_1", delivery(1), 1, Failure("no", NOW + MINUTE, NOW + MINUTE), NOW)
    assert [webhook.id for webhook in log.ready(NOW)] == ["wh_2"]
    assert len(log.next("wh_2", NOW, 10)) == 5
    assert log.next("wh_3", NOW, 10) == []
