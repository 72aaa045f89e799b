"""63,325 posts of 16 news agencies as events: the data that stands for that of the thesis (section 4.2)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from rankcast.lab.datasets.packed import Field, read_rows, table_of
from rankcast.model import Event

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TEN_AGENCIES", "news", "news_table"]

TEN_AGENCIES = (date(2014, 12, 30), date(2015, 3, 14))
"""The first and the last day of the time in which ten agencies are all present, from end to end."""

_FIELDS = {"agency": Field("source"), "text": Field("text")}


def news(days: tuple[date, date] | None = None) -> Iterator[Event]:
    """The posts, numbered in publication order; only those of the `days` from the first to the last, if given.

    Attributes: agency, text. The agency is the event's source, too. How far back each agency goes differs, so counts over
    all of it tell nothing about the agencies; `TEN_AGENCIES` are days that do.

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
