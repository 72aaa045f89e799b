"""``rankcast webhooks encrypt-secrets``, and a service that refuses a bad key."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet
from typer.testing import Result

from rankcast.store import Store, WebhookLog
from rankcast.store.push.webhook_log import Secret, Webhook
from rankcast.store.secrets import VARIABLE

Command = Callable[..., Result]

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def add(name: str) -> None:
    with Store.open("rankcast.db") as opened:
        WebhookLog(opened.database).add(Webhook(name, "ann", "https://example.org", NOW, (Secret("whsec_a"),)))


def test_it_says_how_many_and_which_cannot_be_read(store: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    add("wh_1")
    assert f"{VARIABLE} is not set" in store("webhooks", "encrypt-secrets", code=3).stderr
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    monkeypatch.setenv(VARIABLE, old)
    said = store("webhooks", "encrypt-secrets").stderr
    assert "encrypted 1 plain secret; re-encrypted 0 from an older key" in said
    assert "rankcast prune --shrink" in said
    monkeypatch.setenv(VARIABLE, f"{new},{old}")
    done = store("webhooks", "encrypt-secrets", "--json")
    assert json.loads(done.stdout) == {"encrypted": 0, "reencrypted": 1, "unreadable": []}
    monkeypatch.setenv(VARIABLE, old)
    assert f"no key of {VARIABLE} decrypts a secret of: wh_1" in store("webhooks", "encrypt-secrets", code=1).stderr


def test_help_says_how_to_make_a_key(rankcast: Command) -> None:
    assert "openssl rand -base64 32" in rankcast("webhooks", "encrypt-secrets", "--help").stdout


def test_serve_refuses_an_invalid_key(store: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "hello")
    refused = store("serve", "--dev", "--port", "0", "--no-page", code=3).stderr
    assert f"key 1 of 1 in {VARIABLE} is no Fernet key" in refused
    assert "hello" not in refused
