"""The audit trail: who changed tokens, other users' records, retention rules, or the store as a whole."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Connection, Table, Text, delete, select

from rankcast.model.actors import present_actor
from rankcast.store.engine import Database
from rankcast.store.schema import NUMBER, DatabaseRow, datetime_of, metadata, microseconds, required
from rankcast.store.sql import Columns, Log, append_new
from rankcast.store.texts import escaped

_LONGEST = 1_000
"""Maximum number of characters stored per detail text."""
_NAMED = 5
"""Maximum number of records that one entry names. The rest are counted."""

# No column is called `user_id` or `token`: deleting a user deletes the rows found by columns with those names.
audit = Table(
    "audit",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("done_at", BigInteger),
    required("who", Text, comment="an administrator by the id of the token, a user, or the operator"),
    required("action", Text),
    Column("subject", Text, comment="whose it was: a user or a publisher; null if it concerns all"),
    required("detail", Text, comment="for people"),
    comment="Who changed what is not their own.",
)


class AuditAction(StrEnum):
    """The actions that the audit trail records."""

    CREATE_TOKEN = "token.create"  # noqa: S105  a word, no secret
    REVOKE_TOKEN = "token.revoke"  # noqa: S105
    END_SESSIONS = "sessions.end"
    CHANGE_RECORDS = "records.change"
    DELETE_USER = "user.delete"
    CHANGE_WEBHOOK = "webhook.change"
    CHANGE_PUSH = "push.change"
    SERVE_AGAIN = "set-aside.serve"
    CHANGE_RETENTION = "retention.change"
    PRUNE = "store.prune"
    BACK_UP = "store.backup"
    RESTORE = "store.restore"
    UPGRADE = "store.upgrade"
    REPLACE_STATE = "state.replace"
    ENCRYPT_SECRETS = "secrets.encrypt"


ACTIONS: dict[AuditAction, str] = {
    AuditAction.CREATE_TOKEN: "A token was created.",
    AuditAction.REVOKE_TOKEN: "A token was revoked.",
    AuditAction.END_SESSIONS: "Sessions of a user, or of everybody, were ended.",
    AuditAction.CHANGE_RECORDS: "Subscriptions, preferences, policies, concepts or advertisements were put or removed.",
    AuditAction.DELETE_USER: "A user and all of their data were deleted, by whomever.",
    AuditAction.CHANGE_WEBHOOK: "A webhook of a user was added, changed or removed, or its dead letters were sent again.",
    AuditAction.CHANGE_PUSH: "Quiet hours or the digest schedule of a user were changed.",
    AuditAction.SERVE_AGAIN: "What was set aside was served again.",
    AuditAction.CHANGE_RETENTION: "The service was started with other retention rules than before.",
    AuditAction.PRUNE: "Rows were deleted with `rankcast prune`.",
    AuditAction.BACK_UP: "A backup was written.",
    AuditAction.RESTORE: "The store was restored from a backup.",
    AuditAction.UPGRADE: "The store was upgraded to a later schema version.",
    AuditAction.REPLACE_STATE: "The delivery state was repartitioned or rebuilt.",
    AuditAction.ENCRYPT_SECRETS: "Webhook secrets were encrypted.",
}
"""A description of each action, for the documentation and for readers of the trail."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry: when, who, which action, the user it concerns (None if it concerns all), and a readable detail."""

    number: int
    when: datetime
    who: str
    action: str
    subject: str | None
    detail: str


class ChangedRecord(NamedTuple):
    """A catalog record that was put or removed: its kind, its key and its owner."""

    kind: str
    key: str
    owner: str | None
    removed: bool


class AuditLog(Log):
    """The entries of the audit trail, in the order they were written."""

    def entries(
        self,
        limit: int | None = None,
        before: int | None = None,
        since: datetime | None = None,
        who: str | None = None,
        subject: str | None = None,
    ) -> list[AuditEntry]:
        """The entries that meet all given conditions, newest first.

        `before` is an entry number, `who` a part of the actor's name, `subject` the user concerned.
        """
        query = select(audit).order_by(audit.c.number.desc()).limit(limit)
        if before is not None:
            query = query.where(audit.c.number < before)
        if since is not None:
            query = query.where(audit.c.done_at >= microseconds(since))
        if who is not None:
            query = query.where(audit.c.who.contains(who, autoescape=True))
        if subject is not None:
            query = query.where(audit.c.subject == subject)
        return [_entry(row) for row in self._all(query)]


def note(connection: Connection, now: int, action: AuditAction, subject: str | None, detail: str) -> None:
    """Write an entry in the same transaction as the change.

    Nothing is written if actors (`rankcast.model.actors`) change their own data, except when a user is deleted.
    Nothing is written either if no actor is set, for example when a program uses the store directly.
    """
    actor = present_actor()
    if actor is None or (actor.own is not None and actor.own == subject and action is not AuditAction.DELETE_USER):
        return
    text = escaped(detail)
    row: Columns = {
        "done_at": [now],
        "who": [escaped(actor.who)],
        "action": [action.value],
        "subject": [None if subject is None else escaped(subject)],
        "detail": [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"],
    }
    append_new(connection, audit.c.number, row)


def note_records(connection: Connection, now: int, changed: Iterable[ChangedRecord]) -> None:
    """Write one entry for a change of catalog records, however many records changed."""
    if present_actor() is None:
        return
    records = list(changed)
    owners = {one.owner for one in records}
    if not records:
        return
    named = [f"{'removed' if one.removed else 'put'} {one.kind} {one.key}" for one in records[:_NAMED]]
    if len(records) > _NAMED:
        named.append(f"and {len(records) - _NAMED:,} more")
    of = f" (of {len(owners):,} owners)" if len(owners) > 1 else ""
    subject = next(iter(owners)) if len(owners) == 1 else None
    note(connection, now, AuditAction.CHANGE_RECORDS, subject, ", ".join(named) + of)


def note_now(database: Database, action: AuditAction, subject: str | None, detail: str) -> None:
    """Write an entry about an action that changes no table of the store, such as a backup."""
    with database.writing() as connection:
        note(connection, microseconds(database.clock()), action, subject, detail)


def remove_setting(database: Database, table: Table, user: str, what: str) -> bool:
    """Delete a user's row in a table of settings for pushes. Returns whether there was one; only then is it noted."""
    with database.writing() as connection:
        count = connection.execute(delete(table).where(table.c.user_id == user)).rowcount
        if count:
            note(connection, microseconds(database.clock()), AuditAction.CHANGE_PUSH, user, f"removed {what}")
    return count > 0


def note_retention(database: Database, rules: str, usual: str) -> None:
    """Write an entry if the retention rules differ from those in the last entry.

    If there is no such entry, the rules are compared with the defaults in `usual`.
    """
    if present_actor() is None:
        return
    with database.writing() as connection:
        query = select(audit.c.detail).where(audit.c.action == AuditAction.CHANGE_RETENTION)
        known = connection.execute(query.order_by(audit.c.number.desc()).limit(1)).scalar()
        if rules != (usual if known is None else known):
            note(connection, microseconds(database.clock()), AuditAction.CHANGE_RETENTION, None, rules)


def _entry(row: DatabaseRow) -> AuditEntry:
    return AuditEntry(row.number, datetime_of(row.done_at), row.who, row.action, row.subject, row.detail)
