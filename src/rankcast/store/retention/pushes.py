"""Deletion of old digests and dead letters."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, delete, exists, func, or_, select

from rankcast.store.engine import Database
from rankcast.store.push.digest_log import digests, left_out
from rankcast.store.push.webhook_log import DIGEST, webhooks
from rankcast.store.push.webhook_messages import messages
from rankcast.store.schema import microseconds


class ForgottenCounts(NamedTuple):
    """The numbers of deleted digests and dead letters."""

    digests: int
    dead_letters: int


def forget_pushed(
    database: Database, before: datetime, only: str | None = None, *, dry_run: bool = False
) -> ForgottenCounts:
    """Delete dead letters that last failed before a moment, and digests made before it.

    Digests that a webhook still needs stay: digests to be sent, and digests with deliveries that are not to be sent
    individually. The newest digest always stays, because its number determines the next one. Deliveries and events
    are not deleted. Cost: a scan of the digests and of the failed messages.

    `only` is "digests" or "dead-letters". With `dry_run`, rows are only counted.
    """
    at = microseconds(before)
    newest = select(func.max(digests.c.number)).scalar_subquery()
    old = select(digests.c.number).where(
        digests.c.made_at < at, digests.c.number < newest, ~_is_awaited(), ~_is_tried_again()
    )
    dead = select(messages.c.number).where(messages.c.dead, messages.c.failed_at < at)
    wants_letters, wants_digests = only in (None, "dead-letters"), only in (None, "digests")
    with database.reading() as connection:
        if dry_run:
            letters = len(connection.execute(dead).all()) if wants_letters else 0
            return ForgottenCounts(len(connection.execute(old).all()) if wants_digests else 0, letters)
    letters, numbers = 0, list[int]()
    with database.writing() as connection:
        if wants_letters:
            letters = connection.execute(delete(messages).where(messages.c.dead, messages.c.failed_at < at)).rowcount
        if wants_digests:
            numbers = list(connection.execute(old).scalars())
        which = [{"old": number} for number in numbers]
        if which:
            connection.execute(delete(left_out).where(left_out.c.digest == bindparam("old")), which)
            connection.execute(delete(digests).where(digests.c.number == bindparam("old")), which)
    return ForgottenCounts(len(numbers), letters)


def _is_awaited() -> ColumnElement[bool]:
    """A condition on digests: a webhook of the user still needs the digest, or must still skip its deliveries."""
    digest = and_(webhooks.c.wants_digests, digests.c.delivered > 0, webhooks.c.digest_reached < digests.c.number)
    singles = and_(webhooks.c.wants_deliveries.is_(None), webhooks.c.delivery_reached < digests.c.delivery_through)
    return exists().where(webhooks.c.user_id == digests.c.user_id, or_(digest, singles))


def _is_tried_again() -> ColumnElement[bool]:
    """A condition on digests: a message about the digest failed and may be sent again."""
    return exists().where(messages.c.type == DIGEST, messages.c.number == digests.c.number)
