from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.store import DigestLog, MessageLog, WebhookLog
from rankcast.store.push.digest_log import KeptSchedule, LeftOut, PipelineMoment
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, Secret, Webhook
from rankcast.store.push.webhook_messages import Failure, MessageKey
from rankcast.store.retention.pushes import ForgottenCounts, forget_pushed

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HOOK = Webhook("wh_1", "ann", "https://example.org", NOW, (Secret("whsec_a"),))


@pytest.fixture
def digests(store) -> DigestLog:
    """Three digests of ann, a day apart: today's, and those of the two days before."""
    log = DigestLog(store.database)
    log.put_schedule(KeptSchedule("ann", {}, NOW, 0, PipelineMoment(0, 0, 0), b""))
    for day in (2, 1, 0):
        start = log.schedule("ann")
        through = PipelineMoment(start.reached.offset + 5, 0, start.reached.delivery + 3)
        log.add(start, through, 3, {}, [LeftOut("e1", 1, 0.5, "below", "")], b"", start.next + DAY, NOW - day * DAY)
    return log


def numbers(log: DigestLog) -> list[int]:
    return [kept.number for kept in log.digests("ann", None, 10)]


def test_old_digests_go_with_what_they_left_out(digests, store):
    assert forget_pushed(store.database, NOW - DAY) == ForgottenCounts(1, 0)
    assert numbers(digests) == [3, 2]
    assert (digests.left_out(1, None, 0, 10), len(digests.left_out(2, None, 0, 10))) == ([], 1)
    assert forget_pushed(store.database, NOW - DAY) == ForgottenCounts(0, 0)


def test_the_newest_stays_so_that_no_number_comes_twice(digests, store):
    assert forget_pushed(store.database, NOW + DAY) == ForgottenCounts(2, 0)
    assert numbers(digests) == [3]
    start = digests.schedule("ann")
    assert digests.add(start, start.reached, 0, {}, (), b"", start.next + DAY, NOW) == 4


def test_what_a_webhook_was_not_sent_yet_stays(digests, store):
    WebhookLog(store.database).add(HOOK)
    WebhookLog(store.database).add(replace(HOOK, id="wh_2", user="bob"))
    assert forget_pushed(store.database, NOW + DAY) == ForgottenCounts(0, 0)
    log = MessageLog(store.database)
    log.accepted("wh_1", [MessageKey(DIGEST, 1)], NOW)
    log.failed("wh_1", MessageKey(DIGEST, 2), 1, Failure("no", NOW + DAY, NOW), NOW)
    assert forget_pushed(store.database, NOW + DAY) == ForgottenCounts(1, 0)
    assert numbers(digests) == [3, 2]  # the second is tried again
    log.accepted("wh_1", [MessageKey(DIGEST, 2)], NOW)
    assert forget_pushed(store.database, NOW + DAY) == ForgottenCounts(1, 0)


def test_old_dead_letters_go_and_what_is_tried_again_stays(store):
    WebhookLog(store.database).add(HOOK)
    log = MessageLog(store.database)
    for number, due, failed in ((1, None, NOW - DAY), (2, None, NOW), (3, NOW + DAY, NOW - DAY)):
        log.failed("wh_1", MessageKey(DELIVERY, number), 8, Failure("no", due, NOW), failed)
    assert forget_pushed(store.database, NOW) == ForgottenCounts(0, 1)
    assert [dead.key.number for dead in log.dead("wh_1", None, 10)] == [2]
    assert log.counts("wh_1").retrying == 1
