"""Messages to webhooks: the next ones to send, those to retry, and the dead letters.

A message that was not tried yet needs no row: it lies after the number that its webhook has reached. A message gets a
row when it fails, and loses it when it is accepted.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sql

from rankcast.store import schema
from rankcast.store.blocks import all_blocks, blocks_after, blocks_between
from rankcast.store.push.digest_log import digests, schedules
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, Webhook, load, note_webhook, put, webhook_of, webhooks
from rankcast.store.schema import DatabaseRow, metadata, microseconds, required
from rankcast.store.sql import Log, put_rows, record_of

messages = sql.Table(
    "webhook_messages",
    metadata,
    sql.Column("webhook", sql.Text, sql.ForeignKey(webhooks.c.id, ondelete="CASCADE"), primary_key=True),
    sql.Column("type", sql.Text, primary_key=True),
    sql.Column("number", sql.BigInteger, primary_key=True, comment="of the delivery or the digest"),
    required("attempts", sql.Integer),
    required("due_at", sql.BigInteger),
    required("dead", sql.Boolean),
    required("reason", sql.Text, comment="why the last attempt failed"),
    required("failed_at", sql.BigInteger),
    sql.Index("ix_webhook_messages_due", "webhook", "dead", "due_at"),
    comment="Messages to webhooks that failed: to be tried again, or dead letters.",
)

_deliveries = schema.deliveries


class MessageKey(NamedTuple):
    """The subject of a message: a delivery or a digest, by its number."""

    type: str
    number: int


class WaitingMessage(NamedTuple):
    """A failed message: the number of attempts, the reason, and the next retry (meaningless for a dead letter)."""

    key: MessageKey
    attempts: int
    due: datetime
    reason: str
    failed: datetime


class Failure(NamedTuple):
    """The consequences of a failed attempt.

    When the message is due again (None for a dead letter), until when nothing is sent to the webhook, and why it is
    disabled, if it is.
    """

    reason: str
    due: datetime | None
    paused_until: datetime
    disabled_because: str | None = None


class MessageCounts(NamedTuple):
    """The numbers of messages that were not tried yet, that wait for a retry, and that are dead letters."""

    waiting: int
    retrying: int
    dead: int


class MessageLog(Log):
    """The messages of all webhooks. Each method is one short transaction."""

    def ready(self, now: datetime) -> list[Webhook]:
        """The webhooks with messages to send now, oldest first. Cost: a few look-ups per webhook."""
        due = sql.exists().where(_of(webhooks.c.id), messages.c.due_at <= microseconds(now))
        # Nested, so that no database starts with the deliveries.
        single = sql.exists().where(
            blocks_after(webhooks.c.delivery_reached),
            sql.exists().where(_single(all_blocks.c.block)).correlate(webhooks, all_blocks),
        )
        digest = sql.exists().where(_digest())
        query = (
            sql.select(webhooks)
            .where(webhooks.c.active, webhooks.c.paused_until <= microseconds(now), sql.or_(due, single, digest))
            .order_by(webhooks.c.created_at, webhooks.c.id)
        )
        return [webhook_of(row) for row in self._all(query)]

    def next(self, webhook: str, now: datetime, limit: int) -> list[tuple[MessageKey, int]]:
        """The next messages to send, in this order: retries that are due, then deliveries, then digests.

        Each comes with its number of earlier attempts. Empty if nothing may be sent to the webhook now.
        """
        again = (
            sql.select(messages.c.type, messages.c.number, messages.c.attempts)
            .where(_of(webhook), messages.c.due_at <= microseconds(now))
            .order_by(messages.c.number, messages.c.type)
        )
        singles = sql.select(_deliveries.c.number).where(webhooks.c.id == webhook).order_by(_deliveries.c.number)
        gathered = sql.select(digests.c.number).where(webhooks.c.id == webhook, _digest()).order_by(digests.c.number)
        found: list[tuple[MessageKey, int]] = []
        with self._database.reading() as connection:
            known = load(connection, webhook)
            if known is None or not known.active or known.paused_until > now:
                return []
            found += [(MessageKey(row[0], row[1]), row[2]) for row in connection.execute(again.limit(limit))]
            blocks = blocks_between(connection, known.delivery_reached)
            in_order = [(DELIVERY, singles.where(_single(sql.literal(block)))) for block in blocks]
            for type_, query in (*in_order, (DIGEST, gathered)):
                if len(found) < limit:
                    rows = connection.execute(query.limit(limit - len(found)))
                    found += [(MessageKey(type_, row[0]), 0) for row in rows]
        return found

    def accepted(self, webhook: str, keys: Sequence[MessageKey], now: datetime) -> None:
        """Record that the receiver accepted these messages and that the webhook works."""
        with self._database.writing() as connection:
            known = None
            for key in keys:
                known = self._reach(connection, webhook, key)
                connection.execute(sql.delete(messages).where(_is(webhook, key)))
            if known is not None:
                accepted = {"accepted": known.accepted + len(keys), "accepted_at": microseconds(now)}
                put(connection, webhook, **accepted, failures=0, failing_since=None, paused_until=0)

    def failed(self, webhook: str, key: MessageKey, attempts: int, failure: Failure, now: datetime) -> None:
        """Record failed attempt number `attempts`. Other messages are sent without waiting for this one."""
        row = {
            "webhook": webhook,
            "type": key.type,
            "number": key.number,
            "attempts": attempts,
            "due_at": microseconds(failure.due or now),
            "dead": failure.due is None,
            "reason": failure.reason,
            "failed_at": microseconds(now),
        }
        with self._database.writing() as connection:
            known = self._reach(connection, webhook, key)
            if known is None:
                return
            put_rows(connection, messages, [row], replace=["attempts", "due_at", "dead", "reason", "failed_at"])
            put(
                connection,
                webhook,
                failures=known.failures + 1,
                failing_since=microseconds(known.failing_since or now),
                last_failure=failure.reason,
                paused_until=microseconds(failure.paused_until),
            )
            if failure.disabled_because is not None:
                put(connection, webhook, active=False, disabled_because=failure.disabled_because)

    def dead(self, webhook: str, after: MessageKey | None, limit: int) -> list[WaitingMessage]:
        """Dead letters after a given one, ordered by number and type."""
        query = (
            sql.select(messages)
            .where(_of(webhook, dead=True))
            .order_by(messages.c.number, messages.c.type)
            .limit(limit)
        )
        if after is not None:
            later = sql.and_(messages.c.number == after.number, messages.c.type > after.type)
            query = query.where(sql.or_(messages.c.number > after.number, later))
        return [_waiting(row) for row in self._all(query)]

    def replay(self, webhook: str, keys: Sequence[MessageKey] | None, now: datetime) -> int:
        """Retry dead letters, those named or all, from the start of the retry schedule. Returns their number."""
        again = sql.update(messages).values(dead=False, attempts=0, due_at=microseconds(now))
        with self._database.writing() as connection:
            if keys is None:
                count = connection.execute(again.where(_of(webhook, dead=True))).rowcount
            else:
                which = [again.where(_is(webhook, key), messages.c.dead) for key in dict.fromkeys(keys)]
                count = sum(connection.execute(one).rowcount for one in which)
            if count:
                put(connection, webhook, paused_until=0)
                note_webhook(connection, microseconds(now), webhook, f"sent {count:,} dead letters again")
        return count

    def counts(self, webhook: str | None = None) -> MessageCounts:
        """The numbers of messages, of one webhook or of all active ones. Cost: O(waiting messages)."""
        which = webhooks.c.active if webhook is None else webhooks.c.id == webhook
        in_block = sql.select(sql.func.count()).select_from(_deliveries).where(_single(all_blocks.c.block))
        in_each = sql.select(
            sql.func.coalesce(sql.func.sum(in_block.correlate(webhooks, all_blocks).scalar_subquery()), 0)
        )
        singles = in_each.select_from(webhooks, all_blocks).where(which, blocks_after(webhooks.c.delivery_reached))
        gathered = sql.select(sql.func.count()).select_from(webhooks.join(digests, _digest())).where(which)
        kept = sql.select(messages.c.dead, sql.func.count()).join(webhooks).where(which).group_by(messages.c.dead)
        with self._database.reading() as connection:
            waiting = connection.execute(singles).scalar_one() + connection.execute(gathered).scalar_one()
            numbers: dict[bool, int] = {row[0]: row[1] for row in connection.execute(kept)}
        return MessageCounts(waiting, numbers.get(False, 0), numbers.get(True, 0))

    @staticmethod
    def _reach(connection: sql.Connection, webhook: str, key: MessageKey) -> Webhook | None:
        """Record that a message was tried. Returns None if the webhook was removed in the meantime."""
        known = load(connection, webhook)
        if known is None:
            return None
        if key.type == DELIVERY:
            put(connection, webhook, delivery_reached=max(known.delivery_reached, key.number))
            return known
        put(connection, webhook, digest_reached=max(known.digest_reached, key.number))
        if known.types is None:
            # All deliveries before those of a digest were tried before it, so none is skipped.
            through = connection.execute(
                sql.select(digests.c.delivery_through).where(digests.c.number == key.number)
            ).scalar()
            put(connection, webhook, delivery_reached=max(known.delivery_reached, through or 0))
        return known


def _single(block: sql.ColumnElement[int]) -> sql.ColumnElement[bool]:
    """A condition on deliveries of a block: the delivery must still be sent to a webhook individually."""
    of_user = sql.and_(schema.delivery_block == block, _deliveries.c.user_id == webhooks.c.user_id)
    # Correlated with the deliveries, the next enclosing table: correlating further out would scan that table again.
    covered = sql.exists().where(
        digests.c.user_id == _deliveries.c.user_id,
        digests.c.delivery_after < _deliveries.c.number,
        digests.c.delivery_through >= _deliveries.c.number,
    )
    gathering = sql.exists().where(
        schedules.c.user_id == _deliveries.c.user_id, schedules.c.delivery_since < _deliveries.c.number
    )
    wanted = sql.or_(webhooks.c.wants_deliveries, sql.and_(webhooks.c.wants_deliveries.is_(None), ~covered, ~gathering))
    return sql.and_(of_user, _deliveries.c.number > webhooks.c.delivery_reached, wanted)


def _digest() -> sql.ColumnElement[bool]:
    """A condition on digests: the digest is not empty and was not sent to a webhook yet."""
    return sql.and_(
        webhooks.c.wants_digests,
        digests.c.user_id == webhooks.c.user_id,
        digests.c.number > webhooks.c.digest_reached,
        digests.c.delivered > 0,
    )


def _of(webhook: object, dead: bool = False) -> sql.ColumnElement[bool]:
    return sql.and_(messages.c.webhook == webhook, messages.c.dead == dead)


def _is(webhook: str, key: MessageKey) -> sql.ColumnElement[bool]:
    return sql.and_(messages.c.webhook == webhook, messages.c.type == key.type, messages.c.number == key.number)


def _waiting(row: DatabaseRow) -> WaitingMessage:
    return record_of(WaitingMessage, row, key=MessageKey(row.type, row.number))
