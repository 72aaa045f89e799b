"""What mining changed: the concepts before and after each run, and which subscriptions match more or less since."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sql

from rankcast.errors import StoreError
from rankcast.language import decode_record, dumps, encode_record, show_time
from rankcast.model import Concept
from rankcast.plain import JsonObject
from rankcast.store.schema import NUMBER, DatabaseRow, metadata, required
from rankcast.store.sql import Log, columns_of, last_number, mark_last, record_of

MOST_RUNS = 1000
"""Only the last runs are kept."""

_runs = sql.Table(
    "mining_runs",
    metadata,
    sql.Column("number", NUMBER, primary_key=True, autoincrement=False),
    required("done_at", sql.BigInteger),
    required("attribute", sql.Text),
    required("before", sql.Text, comment="JSON array: the concepts that were replaced, null for new ones"),
    required("after", sql.Text, comment="JSON array: the concepts that mining put"),
    required("shift", sql.Double, comment="by how much degrees changed, averaged over the data"),
    required("counted", sql.BigInteger, comment="how many values it was mined from"),
    required("tried", sql.BigInteger, comment="on how many events the effects were tried"),
    required("more", sql.BigInteger, comment="how many subscriptions were not tried"),
    sql.Column("undone_at", sql.BigInteger),
    comment="The runs of concept mining that changed something.",
)

_effects = sql.Table(
    "mining_effects",
    metadata,
    sql.Column("run", sql.BigInteger, primary_key=True, autoincrement=False),
    sql.Column("subscription", sql.Text, primary_key=True),
    required("user_id", sql.Text),
    required("matched_before", sql.BigInteger),
    required("matched_after", sql.BigInteger),
    sql.Index("ix_mining_effects_user", "user_id"),
    comment="For each run: the subscriptions that matched more or fewer of the events tried.",
)


class MiningEffect(NamedTuple):
    """How many of the events tried a subscription matched before and after a run."""

    user: str
    subscription: str
    before: int
    after: int


class MiningRun(NamedTuple):
    """A run that changed concepts of an attribute. `before` has None for a concept that was new."""

    attribute: str
    before: tuple[Concept | None, ...]
    after: tuple[Concept, ...]
    shift: float
    counted: int
    tried: int
    more: int
    effects: tuple[MiningEffect, ...] = ()
    number: int = 0
    done: datetime | None = None
    undone: datetime | None = None

    def to_json(self) -> JsonObject:
        """The run for programs: the concepts before and after, and the subscriptions whose matches changed."""
        return {
            "run": self.number,
            "when": None if self.done is None else show_time(self.done),
            "attribute": self.attribute,
            "before": [None if one is None else encode_record(one) for one in self.before],
            "after": [encode_record(one) for one in self.after],
            "shift": round(self.shift, 6),
            "counted": self.counted,
            "tried": self.tried,
            "effects": [one._asdict() for one in self.effects],
            "not_tried": self.more,
            "undone": None if self.undone is None else show_time(self.undone),
        }


class MiningLog(Log):
    """The runs of a store."""

    def add(self, run: MiningRun) -> int:
        """Keep a run. Returns its number."""
        with self._database.writing() as connection:
            number = last_number(connection, _runs.c.number) + 1
            before, after = (dumps(run.to_json()[name]) for name in ("before", "after"))
            row = columns_of(_runs, run, number=number, done_at=self._now(), before=before, after=after)
            connection.execute(_runs.insert(), row)
            effects = [
                {
                    "run": number,
                    "subscription": one.subscription,
                    "user_id": one.user,
                    "matched_before": one.before,
                    "matched_after": one.after,
                }
                for one in run.effects
            ]
            if effects:
                connection.execute(_effects.insert(), effects)
            _delete(connection, _runs.c.number <= number - MOST_RUNS, _effects.c.run <= number - MOST_RUNS)
        return number

    def forget(self, number: int) -> None:
        """Delete a run that changed nothing after all."""
        with self._database.writing() as connection:
            _delete(connection, _runs.c.number == number, _effects.c.run == number)

    def mark_undone(self, number: int) -> None:
        """Record that a run was undone."""
        self._change(sql.update(_runs).where(_runs.c.number == number).values(undone_at=self._now()))

    def runs(self, attribute: str | None = None, limit: int = 50, user: str | None = None) -> list[MiningRun]:
        """The last runs, newest first, with all effects, or only those on one user."""
        query = sql.select(_runs).order_by(_runs.c.number.desc()).limit(limit)
        if attribute is not None:
            query = query.where(_runs.c.attribute == attribute)
        return self._read(query, user)

    def last(self, attribute: str) -> MiningRun | None:
        """The last run on an attribute."""
        return next(iter(self.runs(attribute, 1)), None)

    def run(self, number: int) -> MiningRun:
        """The run with this number."""
        found = self._read(sql.select(_runs).where(_runs.c.number == number), None)
        if not found:
            raise StoreError(f"there is no run {number} of mining")
        return found[0]

    def _read(self, query: sql.Select[Any], user: str | None) -> list[MiningRun]:
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
            of = (
                sql.select(_effects)
                .where(_effects.c.run.in_([row.number for row in rows]))
                .order_by(*_effects.primary_key)
            )
            if user is not None:
                of = of.where(_effects.c.user_id == user)
            effects = connection.execute(of).all() if rows else []
        return [_run_of(row, [one for one in effects if one.run == row.number]) for row in rows]


def _run_of(row: DatabaseRow, effects: Sequence[DatabaseRow]) -> MiningRun:
    return record_of(
        MiningRun,
        row,
        before=tuple(None if one is None else _concept(one) for one in json.loads(row.before)),
        after=tuple(map(_concept, json.loads(row.after))),
        effects=tuple(
            MiningEffect(one.user_id, one.subscription, one.matched_before, one.matched_after) for one in effects
        ),
    )


def _concept(form: JsonObject) -> Concept:
    made = decode_record(form)
    assert isinstance(made, Concept)
    return made


def _delete(connection: sql.Connection, runs: sql.ColumnElement[bool], effects: sql.ColumnElement[bool]) -> None:
    mark_last(connection, _runs.c.number)
    connection.execute(sql.delete(_runs).where(runs))
    connection.execute(sql.delete(_effects).where(effects))
