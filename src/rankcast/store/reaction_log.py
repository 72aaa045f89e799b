"""What users did with their deliveries: read, saved, dismissed."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import BigInteger, Boolean, Column, Table, Text, delete, select

from rankcast.errors import StoreError
from rankcast.store.schema import deliveries, metadata, required
from rankcast.store.sql import Log, put_rows

MOST_REACTIONS = 10_000
"""The most reactions of one user that are kept. The oldest are deleted, those to saved deliveries last."""

_reactions = Table(
    "reactions",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    required("is_read", Boolean),
    required("is_saved", Boolean),
    required("is_dismissed", Boolean),
    required("changed_at", BigInteger),
    comment="What users did with their deliveries.",
)


class Reaction(NamedTuple):
    """What a user did with one delivery."""

    is_read: bool = False
    is_saved: bool = False
    is_dismissed: bool = False


class ReactionLog(Log):
    """The reactions of all users. A reaction refers to a delivery by its event."""

    def of(self, user: str, events: Collection[str]) -> dict[str, Reaction]:
        """The reactions of a user to some events; events without one are missing."""
        c = _reactions.c
        query = select(c.event_id, c.is_read, c.is_saved, c.is_dismissed).where(
            c.user_id == user, c.event_id.in_(events)
        )
        return {row[0]: Reaction(*map(bool, row[1:])) for row in self._all(query)}

    def saved(self, user: str, limit: int = 1000) -> list[int]:
        """The numbers of the deliveries that a user has saved, the last one first."""
        c, sent = _reactions.c, deliveries.c
        query = (
            select(sent.number)
            .join(_reactions, (sent.event_id == c.event_id) & (sent.user_id == c.user_id))
            .where(c.user_id == user, c.is_saved)
            .order_by(c.changed_at.desc(), sent.number.desc())
            .limit(limit)
        )
        return [row[0] for row in self._all(query)]

    def react(self, user: str, event: str, reaction: Reaction) -> None:
        """Keep a reaction in place of the one before. Raises StoreError if the event was not delivered to the user."""
        c, sent = _reactions.c, deliveries.c
        row = {"user_id": user, "event_id": event, "changed_at": self._now()}
        with self._database.writing() as connection:
            known = select(sent.number).where(sent.event_id == event, sent.user_id == user)
            if connection.execute(known).first() is None:
                raise StoreError(f"event {event!r} was not delivered to {user!r}")
            if not any(reaction):
                connection.execute(delete(_reactions).where(c.user_id == user, c.event_id == event))
                return
            replaced = [*Reaction._fields, "changed_at"]
            put_rows(connection, _reactions, [{**row, **reaction._asdict()}], replaced)
            surplus = (
                select(c.event_id)
                .where(c.user_id == user)
                .order_by(c.is_saved.desc(), c.changed_at.desc())
                .offset(MOST_REACTIONS)
                .limit(100)
            )
            for name in list(connection.execute(surplus).scalars()):
                connection.execute(delete(_reactions).where(c.user_id == user, c.event_id == name))
