from datetime import UTC, datetime, timedelta

import pytest

from rankcast.store import WebhookLog
from rankcast.store.webhook_log import DELIVERY, DIGEST, Secret, Webhook

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def webhook(name: str = "wh_1", user: str = "ann", **more) -> Webhook:
    return Webhook(name, user, "https://example.org", NOW, (Secret("whsec_a"), Secret("whsec_b", NOW)), **more)


@pytest.fixture
def log(store) -> WebhookLog:
    return WebhookLog(store.database)


@pytest.mark.parametrize("types", [None, (DELIVERY,), (DIGEST,), (DELIVERY, DIGEST)])
def test_a_webhook_is_kept_whole(log, types):
    kept = webhook(
        types=types,
        description="ünïcode",
        active=False,
        disabled_because="gone",
        delivery_reached=2**40,
        digest_reached=7,
        accepted=3,
        accepted_at=NOW,
        failures=2,
        failing_since=NOW,
        last_failure="answered 500",
        paused_until=NOW,
    )
    log.add(kept)
    assert log.webhook("wh_1") == kept
    assert log.webhook("wh_2") is None


def test_those_of_a_user_or_all_oldest_first(log):
    for name, user in (("wh_b", "ann"), ("wh_a", "ann"), ("wh_c", "bob")):
        log.add(webhook(name, user))
    assert [kept.id for kept in log.webhooks()] == ["wh_a", "wh_b", "wh_c"]
    assert [kept.id for kept in log.webhooks("ann")] == ["wh_a", "wh_b"]


def test_enabling_forgets_the_failures(log):
    log.add(webhook(failures=9, failing_since=NOW, paused_until=NOW))
    log.disable("wh_1", "enough")
    assert log.webhook("wh_1").disabled_because == "enough"
    log.enable("wh_1")
    assert log.webhook("wh_1") == webhook()


def test_changing_one_that_is_not_there_does_nothing(log):
    log.change("wh_9", "https://example.org", "", None)
    log.remove("wh_9")
    assert log.webhooks() == []


def test_which_secrets_sign_when(log):
    kept = webhook()
    assert kept.signing(NOW - timedelta(seconds=1)) == ["whsec_a", "whsec_b"]
    assert kept.signing(NOW) == ["whsec_a"]
    assert "whsec" not in repr(kept)
