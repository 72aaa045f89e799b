"""58,788 films as events: the data of the DEBS'09 experiments (section 7.1)."""

import csv
import gzip
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from rankcast.lab.datasets.packed import open_data
from rankcast.model import Event
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_PUBLICATION = datetime(2026, 1, 1, tzinfo=UTC)
_GENRE_COLUMNS = {
    name.lower(): name for name in ("Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short")
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
    for number, film in enumerate(read_films()[:limit], 1):
        yield Event(_id(number), _time(number), {name: _values(value) for name, value in film.items()}, seq=number)


def movies_table() -> "pa.Table":
    """The same films as columns: id, time, and one per attribute. Absent values are null; `genre` is a list."""
    import pyarrow as pa

    films = read_films()
    numbers = range(1, len(films) + 1)
    columns = {
        "id": pa.array(map(_id, numbers), pa.string()),
        "time": pa.array(map(_time, numbers), pa.timestamp("us", "UTC")),
    }
    kinds = {
        "title": pa.string(),
        "year": pa.int64(),
        "length": pa.int64(),
        "rating": pa.float64(),
        "votes": pa.int64(),
        "budget": pa.int64(),
        "mpaa": pa.string(),
        "genre": pa.list_(pa.string()),
    }
    for name, kind in kinds.items():
        columns[name] = pa.array([film.get(name) for film in films], kind)
    return pa.table(columns)


def read_films() -> list[JsonObject]:
    """The films in publication order as plain values. `genre` is a list; missing values have no entry."""
    with (
        open_data("movies.csv.gz") as packed,
        gzip.open(packed) as raw,
        TextIOWrapper(raw, "utf-8", newline="") as text,
    ):
        header, *rows = csv.reader(text)
    rows.sort(key=lambda row: (int(row[1]), blake2b("\x1f".join(row).encode(), digest_size=8).digest()))
    return [_film(dict(zip(header, row, strict=True))) for row in rows]


def _film(row: dict[str, str]) -> JsonObject:
    film: JsonObject = {
        "title": row["title"],
        "year": int(row["year"]),
        "length": int(row["length"]),
        "rating": float(row["rating"]),
        "votes": int(row["votes"]),
    }
    if row["budget"]:
        film["budget"] = int(row["budget"])
    if row["mpaa"]:
        film["mpaa"] = row["mpaa"]
    if genres := [genre for genre, column in _GENRE_COLUMNS.items() if row[column] == "1"]:
        film["genre"] = genres
    return film


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _id(number: int) -> str:
    return f"m{number:05}"


def _time(number: int) -> datetime:
    return FIRST_PUBLICATION + timedelta(minutes=number - 1)
