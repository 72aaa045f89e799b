"""63,325 posts of 16 news agencies as events. They replace the unavailable data of the thesis (section 4.2)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from rankcast.lab.datasets.packed import Field, read_rows, table_of
from rankcast.model import Event

if TYPE_CHECKING:
    import pyarrow as pa

TEN_AGENCIES = (date(2014, 12, 30), date(2015, 3, 14))
"""The first and the last day of the period that ten agencies cover completely."""

_FIELDS = {"agency": Field("source"), "text": Field("text")}


def news(days: tuple[date, date] | None = None) -> Iterator[Event]:
    """The posts, numbered in publication order. `days` is the first and the last day to include; all by default.

    Attributes: agency, text. The agency is also the event's source. Agencies start at different dates, so counts over
    the whole dataset are not comparable; counts over the days `TEN_AGENCIES` are.

    >>> first = next(news(TEN_AGENCIES))
    >>> first.id, first.source, first.time.date().isoformat()
    ('549721285945597952', 'bbchealth', '2014-12-30')
    """
    for number, row in enumerate(_rows(days), 1):
        attributes = {"agency": (row["source"],), "text": (row["text"],)}
        yield Event(row["id"], _time(row), attributes, source=row["source"], seq=number)


def news_table(days: tuple[date, date] | None = None) -> "pa.Table":
    """The same posts as columns: id, time, agency, text."""
    return table_of(((row["id"], _time(row), row) for row in _rows(days)), _FIELDS, None)


def _rows(days: tuple[date, date] | None) -> Iterator[dict[str, str]]:
    if days is None:
        yield from read_rows("news.csv.gz")
        return
    first, last = (day.isoformat() for day in days)
    yield from (row for row in read_rows("news.csv.gz") if first <= row["time"][:10] <= last)


def _time(row: dict[str, str]) -> datetime:
    day, clock = row["time"].removesuffix("Z").split("T")
    return datetime.combine(date.fromisoformat(day), time.fromisoformat(clock), UTC)
