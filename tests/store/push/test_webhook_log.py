from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from rankcast.errors import EnvironmentProblem
from rankcast.store import WebhookLog
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, Secret, Webhook, webhooks
from rankcast.store.secrets import VARIABLE

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def webhook(name: str = "wh_1", user: str = "ann", **more) -> Webhook:
    return Webhook(name, user, "https://example.org", NOW, (Secret("whsec_a"), Secret("whsec_b", NOW)), **more)


@pytest.fixture
def log(store, monkeypatch) -> WebhookLog:
    monkeypatch.delenv(VARIABLE, raising=False)
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


def key() -> str:
    return Fernet.generate_key().decode()


def stored(store) -> str:
    with store.database.reading() as connection:
        return " ".join(connection.execute(select(webhooks.c.secrets)).scalars())


def test_with_a_key_no_stored_byte_shows_a_secret(log, place, store, monkeypatch):
    monkeypatch.setenv(VARIABLE, key())
    log.add(webhook())
    log.rotate("wh_1", "whsec_c", NOW)
    assert "whsec" not in stored(store)
    assert log.webhook("wh_1").signing(NOW - timedelta(seconds=1)) == ["whsec_c", "whsec_a"]
    for file in Path(place).parent.glob("store.db*") if "://" not in place else ():
        assert b"whsec" not in file.read_bytes()


def test_plain_secrets_are_read_beside_encrypted_ones_until_they_are_converted(log, place, store, monkeypatch):
    log.add(webhook("wh_1"))
    monkeypatch.setenv(VARIABLE, old := key())
    log.add(webhook("wh_2"))
    before = NOW - timedelta(seconds=1)
    assert [kept.signing(before) for kept in log.webhooks()] == [["whsec_a", "whsec_b"]] * 2
    assert log.encrypt_secrets() == (2, 0, ())
    assert "whsec" not in stored(store)
    assert log.encrypt_secrets() == (0, 0, ())
    new = key()
    monkeypatch.setenv(VARIABLE, f"{new},{old}")
    assert log.encrypt_secrets() == (0, 4, ())
    monkeypatch.setenv(VARIABLE, new)
    assert [kept.signing(before) for kept in log.webhooks()] == [["whsec_a", "whsec_b"]] * 2
    assert [secret.until for secret in log.webhook("wh_1").secrets] == [None, NOW]
    store.database.rewrite()
    for file in Path(place).parent.glob("store.db*") if "://" not in place else ():
        assert b"whsec" not in file.read_bytes()


def test_a_secret_that_no_key_decrypts_stays_and_keeps_no_other_from_being_converted(log, monkeypatch):
    monkeypatch.setenv(VARIABLE, lost := key())
    log.add(webhook("wh_1"))
    monkeypatch.delenv(VARIABLE)
    log.add(webhook("wh_2"))
    assert [kept.id for kept in log.webhooks()] == ["wh_1", "wh_2"]
    with pytest.raises(EnvironmentProblem, match=f"{VARIABLE} is not set"):
        log.encrypt_secrets()
    monkeypatch.setenv(VARIABLE, key())
    assert log.encrypt_secrets() == (2, 0, ("wh_1",))
    with pytest.raises(EnvironmentProblem, match=VARIABLE):
        log.webhook("wh_1").signing(NOW)
    monkeypatch.setenv(VARIABLE, lost)
    assert log.webhook("wh_1").signing(NOW) == ["whsec_a"]


def test_a_new_secret_replaces_one_whose_key_is_lost_at_once(log, monkeypatch):
    monkeypatch.setenv(VARIABLE, key())
    log.add(webhook())
    monkeypatch.setenv(VARIABLE, key())
    log.rotate("wh_1", "whsec_c", NOW + timedelta(days=1))
    assert log.webhook("wh_1").signing(NOW) == ["whsec_c"]
