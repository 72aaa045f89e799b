"""Webhooks: the endpoints that receive a user's deliveries, and their state."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sql

from rankcast.errors import EnvironmentProblem
from rankcast.language import dumps
from rankcast.model import EPOCH
from rankcast.store import schema
from rankcast.store.audit_log import AuditAction, note
from rankcast.store.push.digest_log import digests
from rankcast.store.schema import DatabaseRow, datetime_of, metadata, microseconds, required
from rankcast.store.secrets import VARIABLE, decrypt, encrypt, has_keys, is_encrypted, reencrypt
from rankcast.store.sql import Log, columns_of, last_number, record_of
from rankcast.store.texts import readable

DELIVERY = "delivery.sent"
"""The type of a message about one delivery."""
DIGEST = "digest.ready"
"""The type of a message about a digest."""

webhooks = sql.Table(
    "webhooks",
    metadata,
    sql.Column("id", sql.Text, primary_key=True),
    required("user_id", sql.Text),
    required("url", sql.Text),
    required("description", sql.Text),
    sql.Column("wants_deliveries", sql.Boolean, comment="null: those that no digest holds"),
    required("wants_digests", sql.Boolean),
    required("secrets", sql.Text, comment="JSON array, newest first; encrypted if the environment has a key"),
    required("created_at", sql.BigInteger),
    required("active", sql.Boolean),
    sql.Column("disabled_because", sql.Text),
    required("delivery_reached", sql.BigInteger, comment="deliveries up to here are sent or among the messages"),
    required("digest_reached", sql.BigInteger, comment="digests up to here are sent or among the messages"),
    required("accepted", sql.BigInteger, comment="how many messages were accepted"),
    sql.Column("accepted_at", sql.BigInteger, comment="when the last one was"),
    required("failures", sql.Integer, comment="in a row"),
    sql.Column("failing_since", sql.BigInteger, comment="when the first of them was"),
    sql.Column("last_failure", sql.Text),
    required("paused_until", sql.BigInteger),
    sql.Index("ix_webhooks_user", "user_id"),
    comment="The endpoints to which users have their deliveries sent, and how far each has got.",
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A signing secret, possibly encrypted. `until` is when it expires, if another one replaces it."""

    value: str = field(repr=False)
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Webhook:
    """An endpoint of a user.

    Everything up to `delivery_reached` and `digest_reached` was accepted, or is stored as a message to be retried or
    as a dead letter. `types` are the wanted message types. None means digests while the user has a schedule, and
    those deliveries that are in no digest.
    """

    id: str
    user: str
    url: str
    created: datetime
    secrets: tuple[Secret, ...]
    description: str = ""
    types: tuple[str, ...] | None = None
    active: bool = True
    disabled_because: str | None = None
    delivery_reached: int = 0
    digest_reached: int = 0
    accepted: int = 0
    accepted_at: datetime | None = None
    failures: int = 0
    failing_since: datetime | None = None
    last_failure: str | None = None
    paused_until: datetime = EPOCH

    def signing(self, now: datetime) -> list[str]:
        """The secrets that sign a message at a time, newest first. EnvironmentProblem if one cannot be decrypted."""
        return [decrypt(secret.value) for secret in self.secrets if secret.until is None or now < secret.until]


class SecretCounts(NamedTuple):
    """The result of encrypting secrets: how many were plain, how many were encrypted with an older key.

    It also names the webhooks with a secret that no key decrypts.
    """

    encrypted: int
    reencrypted: int
    unreadable: tuple[str, ...]


class WebhookLog(Log):
    """The webhooks of all users. Each method is one short transaction."""

    def add(self, webhook: Webhook, most: int | None = None) -> Webhook | None:
        """Add a webhook, which receives what comes from now on. Returns None if its user already has `most`."""
        with self._database.writing() as connection:
            if most is not None:
                of_user = sql.select(sql.func.count()).select_from(webhooks).where(webhooks.c.user_id == webhook.user)
                if connection.execute(of_user).scalar_one() >= most:
                    return None
                webhook = replace(
                    webhook,
                    delivery_reached=last_number(connection, schema.deliveries.c.number),
                    digest_reached=last_number(connection, digests.c.number),
                )
            connection.execute(sql.insert(webhooks), [_row(webhook)])
            note_webhook(connection, self._now(), webhook.id, f"added, to {webhook.url}")
        return webhook

    def has_active(self) -> bool:
        """Whether anything is to be sent to anybody, now or later."""
        return self._value(sql.select(webhooks.c.id).where(webhooks.c.active).limit(1)) is not None

    def rotate(self, webhook_id: str, secret: str, until: datetime) -> None:
        """Give a webhook a new secret. Until a time, the newest old secret signs too.

        No other old secret signs, so that the header cannot grow. An old secret that no key decrypts is dropped,
        because it would prevent the new one from being used.
        """
        with self._database.writing() as connection:
            known = load(connection, webhook_id)
            if known is not None:
                secrets = (
                    Secret(secret),
                    *(replace(old, until=until) for old in known.secrets[:1] if _is_readable(old)),
                )
                put(connection, webhook_id, secrets=_secrets(secrets))
                note_webhook(connection, self._now(), webhook_id, "gave it a new secret")

    def encrypt_secrets(self) -> SecretCounts:
        """Encrypt all secrets with the first key, in one transaction. Secrets that no key decrypts stay unchanged."""
        if not has_keys():
            raise EnvironmentProblem(
                f"{VARIABLE} is not set, so there is no key to encrypt with; make one with: openssl rand -base64 32"
            )
        encrypted = reencrypted = 0
        unreadable: list[str] = []
        with self._database.writing() as connection:
            for row in connection.execute(sql.select(webhooks).order_by(webhooks.c.id)).all():
                known = webhook_of(row)
                readable_ones = [_is_readable(secret) for secret in known.secrets]
                if not all(readable_ones):
                    unreadable.append(known.id)
                new = [
                    replace(secret, value=reencrypt(secret.value)) if is_readable else secret
                    for secret, is_readable in zip(known.secrets, readable_ones, strict=True)
                ]
                changed = [old for old, now in zip(known.secrets, new, strict=True) if old != now]
                if changed:
                    put(connection, known.id, secrets=_secrets(new))
                plain = sum(not is_encrypted(old.value) for old in changed)
                encrypted += plain
                reencrypted += len(changed) - plain
            detail = f"{encrypted:,} plain, {reencrypted:,} of an older key"
            note(connection, self._now(), AuditAction.ENCRYPT_SECRETS, None, detail)
        return SecretCounts(encrypted, reencrypted, tuple(unreadable))

    def webhooks(self, user: str | None = None) -> list[Webhook]:
        """The webhooks of a user, or all, oldest first."""
        query = sql.select(webhooks).order_by(webhooks.c.created_at, webhooks.c.id)
        if user is not None:
            query = query.where(webhooks.c.user_id == user)
        return [webhook_of(row) for row in self._all(query)]

    def webhook(self, webhook_id: str) -> Webhook | None:
        """The webhook with this id; None if there is none."""
        with self._database.reading() as connection:
            return load(connection, webhook_id)

    def change(self, webhook_id: str, url: str, description: str, types: Iterable[str] | None) -> None:
        """Replace the user's settings of a webhook. Its position stays.

        Message types that were not wanted before start with the next message.
        """
        new = {"url": url, "description": description, **_wants(types)}
        with self._database.writing() as connection:
            known = load(connection, webhook_id)
            if known is None:
                return
            if known.types is not None and DELIVERY not in known.types:
                new["delivery_reached"] = last_number(connection, schema.deliveries.c.number)
            if known.types is not None and DIGEST not in known.types:
                new["digest_reached"] = last_number(connection, digests.c.number)
            put(connection, webhook_id, **new)
            note_webhook(connection, self._now(), webhook_id, f"changed, to {url}")

    def enable(self, webhook_id: str) -> None:
        """Resume sending at once, from where it stopped."""
        with self._database.writing() as connection:
            put(
                connection,
                webhook_id,
                active=True,
                disabled_because=None,
                failures=0,
                failing_since=None,
                paused_until=0,
            )
            note_webhook(connection, self._now(), webhook_id, "enabled")

    def disable(self, webhook_id: str, because: str) -> None:
        """Stop sending until the webhook is enabled again. Waiting messages are kept."""
        with self._database.writing() as connection:
            put(connection, webhook_id, active=False, disabled_because=because)
            note_webhook(connection, self._now(), webhook_id, "disabled")

    def remove(self, webhook_id: str) -> None:
        """Delete a webhook and its messages."""
        with self._database.writing() as connection:
            note_webhook(connection, self._now(), webhook_id, "removed")
            connection.execute(sql.delete(webhooks).where(webhooks.c.id == webhook_id))


def load(connection: sql.Connection, webhook_id: str) -> Webhook | None:
    """The webhook with this id, within the caller's transaction; None if there is none."""
    row = connection.execute(sql.select(webhooks).where(webhooks.c.id == webhook_id)).first()
    return None if row is None else webhook_of(row)


def put(connection: sql.Connection, webhook_id: str, **columns: object) -> None:
    """Change some columns of a webhook, within the caller's transaction."""
    connection.execute(sql.update(webhooks).where(webhooks.c.id == webhook_id).values(columns))


def note_webhook(connection: sql.Connection, now: int, webhook_id: str, what: str) -> None:
    """Record an action on an existing webhook in the audit trail, within the caller's transaction."""
    user = connection.execute(sql.select(webhooks.c.user_id).where(webhooks.c.id == webhook_id)).scalar()
    if user is not None:
        note(connection, now, AuditAction.CHANGE_WEBHOOK, user, f"webhook {webhook_id}: {what}")


def webhook_of(row: DatabaseRow) -> Webhook:
    """The webhook that a row describes."""
    with readable(f"webhook {row.id!r}"):
        return record_of(
            Webhook,
            row,
            secrets=tuple(Secret(value, _time(until)) for value, until in json.loads(row.secrets)),
            types=_types(row.wants_deliveries, row.wants_digests),
            accepted_at=_time(row.accepted_at),
            failing_since=_time(row.failing_since),
            paused_until=datetime_of(row.paused_until),
        )


def _row(webhook: Webhook) -> dict[str, object]:
    return columns_of(
        webhooks,
        webhook,
        **_wants(webhook.types),
        secrets=_secrets(webhook.secrets),
        accepted_at=_column(webhook.accepted_at),
        failing_since=_column(webhook.failing_since),
        paused_until=microseconds(webhook.paused_until),
    )


def _wants(types: Iterable[str] | None) -> dict[str, object]:
    if types is None:
        return {"wants_deliveries": None, "wants_digests": True}
    wanted = set(types)
    return {"wants_deliveries": DELIVERY in wanted, "wants_digests": DIGEST in wanted}


def _types(wants_deliveries: bool | None, wants_digests: bool) -> tuple[str, ...] | None:
    if wants_deliveries is None:
        return None
    return (*((DELIVERY,) if wants_deliveries else ()), *((DIGEST,) if wants_digests else ()))


def _secrets(secrets: Iterable[Secret]) -> str:
    return dumps([[encrypt(secret.value), _column(secret.until)] for secret in secrets])


def _is_readable(secret: Secret) -> bool:
    try:
        decrypt(secret.value)
    except EnvironmentProblem:
        return False
    return True


def _time(column: int | None) -> datetime | None:
    return None if column is None else datetime_of(column)


def _column(time: datetime | None) -> int | None:
    return None if time is None else microseconds(time)
