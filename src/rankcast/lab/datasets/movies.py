"""58,788 films as events: the data of the DEBS'09 experiments (section 7.1)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from rankcast.lab.datasets.packed import Field, attributes_of, events_of, read_rows, table_of
from rankcast.model import Event
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_PUBLICATION = datetime(2026, 1, 1, tzinfo=UTC)
_GENRES = ("Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short")
_FIELDS = {
    "title": Field("title"),
    "year": Field("year", int, "int64"),
    "length": Field("length", int, "int64"),
    "rating": Field("rating", float, "double"),
    "votes": Field("votes", int, "int64"),
    "budget": Field("budget", int, "int64"),
    "mpaa": Field("mpaa"),
    "genre": Field("genres", str.split, "strings"),
}


def movies(limit: int | None = None) -> Iterator[Event]:
    """The films, numbered in publication order; only the first `limit` if it is given.

    Attributes: title, year, length (minutes), rating (1 to 10), votes, and, if known, budget (US dollars), mpaa,
    genre (one or more of action, animation, comedy, drama, documentary, romance, short).

    The publication times are synthetic, because the dataset has none. Films appear in order of year, and within a
    year in order of a hash of the row: one per minute from 2026-01-01T00:00:00Z on, 41 days in all.

    The file is in another order, so it is always read whole (about 1 s). Each film then takes 50 µs.

    >>> film = next(movies())
    >>> film.id, film.seq, film.attributes["title"], film.attributes["year"]
    ('m00001', 1, ('Blacksmith Scene',), (1893,))
    """
    return events_of(_rows(), _FIELDS, limit)


def movies_table() -> "pa.Table":
    """The same films as columns: id, time, and one per attribute. Absent values are null; `genre` is a list."""
    return table_of(_rows(), _FIELDS, None)


def read_films() -> list[JsonObject]:
    """The films in publication order as plain values. `genre` is a list; missing values have no entry."""
    return [attributes_of(row, _FIELDS) for _, _, row in _rows()]


def _rows() -> Iterator[tuple[str, datetime, dict[str, str]]]:
    films = list(read_rows("movies.csv.gz"))
    films.sort(
        key=lambda film: (int(film["year"]), blake2b("\x1f".join(film.values()).encode(), digest_size=8).digest())
    )
    for number, film in enumerate(films, 1):
        film["genres"] = " ".join(genre.lower() for genre in _GENRES if film[genre] == "1")
        yield f"m{number:05}", FIRST_PUBLICATION + timedelta(minutes=number - 1), film
