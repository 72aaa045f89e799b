"""The saved delivery state of the in-process pipeline: pages of users, each as of its own position in the event log.

To continue from the progress, a pipeline restores the pages and serves the events between each page and the progress
again, without delivering them again (`rankcast.pipeline.saved_state`). So a commit saves only a few pages. Some earlier
forms of each page stay, so that an explanation starts from a state shortly before its event.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sql

from rankcast.store import schema
from rankcast.store.schema import datetime_of, metadata, microseconds, required
from rankcast.store.sql import Log, put_rows

state_pages = sql.Table(
    "state_pages",
    metadata,
    sql.Column("shard", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("page", sql.Integer, primary_key=True, autoincrement=False),
    required("pages", sql.Integer, comment="how many pages the shard has"),
    required("event_offset", sql.BigInteger, comment="the last event served when the page was written"),
    required("catalog_version", sql.BigInteger, comment="the version of the catalog at that time"),
    required("clock", sql.BigInteger, comment="the last advance of the clock before that"),
    required("needed", sql.BigInteger, comment="the first event that the page needs from the event log"),
    required("content", sql.LargeBinary),
    comment="The delivery state of some users of a shard, each page as of its own position in the event log.",
)

clock_advances = sql.Table(
    "clock_advances",
    metadata,
    sql.Column("number", sql.BigInteger, primary_key=True, autoincrement=False),
    required("event_offset", sql.BigInteger, comment="the last event served before"),
    required("clock", sql.BigInteger),
    comment="When the clock ended periods without an event, as far back as a page needs it.",
)


past_state_pages = sql.Table(
    "past_state_pages",
    metadata,
    *(
        sql.Column(
            one.name,
            one.type,
            primary_key=one.name in ("shard", "page", "event_offset"),
            autoincrement=False,
            nullable=False,
            comment=one.comment,
        )
        for one in state_pages.c
    ),
    comment="Earlier forms of the pages of delivery state, from which explanations start.",
)

_APART = 250
_MOST_PAST = 64
_PAST_BYTES = 64 * 2**20
"""The earlier forms of a page are at least this many events apart. There are at most 64 of each page, and together they
take about 64 MiB at most."""

_marked = [column.name for column in state_pages.c if column.name != "content"]


class ClockAdvance(NamedTuple):
    """The clock ended periods after the event at `offset`, without a further event."""

    number: int
    offset: int
    clock: datetime


class PageMark(NamedTuple):
    """Which page of which shard: `page` of `pages`. And its position: the last event and clock advance before it.

    It needs the event log from the event `needed` on.
    """

    shard: int
    page: int
    pages: int
    offset: int
    catalog_version: int
    clock: int
    needed: int


class StatePage(NamedTuple):
    """The delivery state of some users, in the format of `rankcast.engine.pages`."""

    mark: PageMark
    content: bytes


class SavedState(NamedTuple):
    """Everything that is needed to restore the shards as of an offset and a version of the catalog."""

    offset: int
    catalog_version: int
    pages: list[StatePage]
    advances: list[ClockAdvance]

    @property
    def shards(self) -> int:
        """The number of shards; 0 if there is no state."""
        return len({page.mark.shard for page in self.pages})

    @property
    def is_settled(self) -> bool:
        """Whether all pages are as of the offset, so that no event needs to be served again."""
        clock = max((advance.number for advance in self.advances), default=0)
        return all(page.mark.offset == self.offset and page.mark.clock >= clock for page in self.pages)

    @property
    def lag(self) -> int:
        """The number of events between the oldest page and the offset."""
        return self.offset - min((page.mark.offset for page in self.pages), default=self.offset)


class StateChanges(NamedTuple):
    """The changes of the saved state with a commit.

    Clock advances up to the number `forgotten` are no longer needed. `size` is the size of all pages in bytes.
    """

    pages: Sequence[StatePage] = ()
    advance: ClockAdvance | None = None
    forgotten: int = 0
    size: int = 0


class StateLog(Log):
    """The saved state of the in-process pipeline."""

    def saved_state(self) -> SavedState:
        """The whole state, with the progress that it leads to."""
        with self._database.reading() as connection:
            at = connection.execute(sql.select(schema.progress)).one()
            rows = connection.execute(sql.select(state_pages).order_by(state_pages.c.shard, state_pages.c.page))
            pages = [StatePage(PageMark(*row[:-1]), bytes(row[-1])) for row in rows]
            return SavedState(at.event_offset, at.catalog_version, pages, _advances(connection))

    def past_page(self, find: Callable[[Sequence[PageMark]], PageMark | None]) -> StatePage | None:
        """The page that `find` selects among the earlier forms of all pages; None if it selects none."""
        with self._database.reading() as connection:
            return _found(connection, past_state_pages, find)


def write_changes(connection: sql.Connection, changes: StateChanges) -> None:
    """Save changes of the state."""
    rows = [{**page.mark._asdict(), "content": page.content} for page in changes.pages]
    for row in rows:
        row["event_offset"] = row.pop("offset")
    replaced = [column.name for column in state_pages.c if not column.primary_key]
    put_rows(connection, state_pages, rows, replace=replaced)
    _remember(connection, rows, changes.size)
    if changes.advance is not None:
        number, offset, clock = changes.advance
        connection.execute(
            clock_advances.insert().values(number=number, event_offset=offset, clock=microseconds(clock))
        )
    if changes.forgotten:
        connection.execute(sql.delete(clock_advances).where(clock_advances.c.number <= changes.forgotten))


def replace_pages(connection: sql.Connection, pages: Sequence[StatePage]) -> None:
    """Replace the whole state."""
    for table in (state_pages, past_state_pages, clock_advances):
        connection.execute(sql.delete(table))
    write_changes(connection, StateChanges(pages))


def shard_count(connection: sql.Connection) -> int:
    """The number of shards in the saved state; 0 if there is none."""
    last: int | None = connection.execute(sql.select(sql.func.max(state_pages.c.shard))).scalar()
    return 0 if last is None else last + 1


def has_pages(connection: sql.Connection) -> bool:
    """Whether there is any saved state."""
    return connection.execute(sql.select(state_pages.c.shard).limit(1)).first() is not None


def needed_by_pages(connection: sql.Connection) -> tuple[int, int] | None:
    """The first event and the first catalog version that pages need; None if there are no pages."""
    event = sql.func.min(sql.func.least(state_pages.c.event_offset + 1, state_pages.c.needed))
    if connection.dialect.name == "sqlite":
        event = sql.func.min(sql.func.min(state_pages.c.event_offset + 1, state_pages.c.needed))
    row = connection.execute(sql.select(event, sql.func.min(state_pages.c.catalog_version))).one()
    return None if row[0] is None else (row[0], row[1])


def page_of_user(
    connection: sql.Connection, find: Callable[[Sequence[PageMark]], PageMark | None]
) -> tuple[StatePage, list[ClockAdvance]] | None:
    """The page that `find` selects, with the clock advances after it; None if it selects none."""
    found = _found(connection, state_pages, find)
    return None if found is None else (found, _advances(connection, clock_advances.c.number > found.mark.clock))


def forget_past_pages(connection: sql.Connection, last: int) -> None:
    """Delete the earlier forms of pages that need an event up to `last`, which is pruned."""
    past = past_state_pages
    connection.execute(sql.delete(past).where((past.c.event_offset < last) | (past.c.needed <= last)))


def _found(
    connection: sql.Connection, table: sql.Table, find: Callable[[Sequence[PageMark]], PageMark | None]
) -> StatePage | None:
    marks = connection.execute(sql.select(*(table.c[name] for name in _marked)))
    found = find([PageMark(*row) for row in marks])
    if found is None:
        return None
    here = table.c.shard == found.shard, table.c.page == found.page, table.c.event_offset == found.offset
    return StatePage(found, bytes(connection.execute(sql.select(table.c.content).where(*here)).scalar_one()))


def _remember(connection: sql.Connection, rows: Sequence[Mapping[str, Any]], size: int) -> None:
    """Keep pages as earlier forms. If there are too many of a page, every other one goes, so that they cover the log."""
    past, most = past_state_pages, min(_MOST_PAST, _PAST_BYTES // max(1, size))
    for row in rows:
        own = past.c.shard == row["shard"], past.c.page == row["page"]
        latest_first = sql.select(past.c.event_offset).where(*own).order_by(past.c.event_offset.desc())
        offsets = list(connection.execute(latest_first).scalars())
        if most and (not offsets or row["event_offset"] >= offsets[0] + _APART):
            connection.execute(past.insert().values(row))
            offsets.insert(0, row["event_offset"])
        if len(offsets) > most:
            gone = offsets[1::2] if most else offsets
            connection.execute(sql.delete(past).where(*own, past.c.event_offset.in_(gone)))


def _advances(connection: sql.Connection, *which: sql.ColumnElement[bool]) -> list[ClockAdvance]:
    rows = connection.execute(sql.select(clock_advances).where(*which).order_by(clock_advances.c.number))
    return [ClockAdvance(row.number, row.event_offset, datetime_of(row.clock)) for row in rows]
