from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from rankcast.datasets import FIRST_PUBLICATION, movies, movies_table
from rankcast.model import Event


@pytest.fixture(scope="module")
def films() -> list[Event]:
    return list(movies())


def count(films: list[Event], name: str, value: object) -> int:
    return sum(value in film.attributes.get(name, ()) for film in films)


def test_all_films_are_there(films: list[Event]) -> None:
    assert len(films) == 58_788
    assert len({film.attributes["title"] for film in films}) == 56_007


def test_genres_and_ratings_as_the_source_counts_them(films: list[Event]) -> None:
    assert count(films, "genre", "drama") == 21_811
    assert count(films, "genre", "documentary") == 3_472
    assert sum("genre" not in film.attributes for film in films) == 12_786
    assert Counter(film.attributes.get("mpaa") for film in films) == {
        None: 53_864,
        ("R",): 3_377,
        ("PG-13",): 1_003,
        ("PG",): 528,
        ("NC-17",): 16,
    }
    assert sum("budget" not in film.attributes for film in films) == 53_573


def test_one_film(films: list[Event]) -> None:
    (film,) = [film for film in films if film.attributes["title"] == ("'A' gai waak",)]
    assert film.attributes == {
        "title": ("'A' gai waak",),
        "year": (1983,),
        "length": (106,),
        "rating": (7.1,),
        "votes": (1259,),
        "mpaa": ("PG-13",),
        "genre": ("action", "comedy"),
    }


def test_published_by_year_one_a_minute(films: list[Event]) -> None:
    assert films[0].time == FIRST_PUBLICATION == datetime(2026, 1, 1, tzinfo=UTC)
    assert {later.time - earlier.time for earlier, later in pairwise(films)} == {timedelta(minutes=1)}
    years = [film.attributes["year"] for film in films]
    assert years == sorted(years)


def test_numbered_in_publication_order(films: list[Event]) -> None:
    assert (films[0].id, films[-1].id) == ("m00001", "m58788")
    assert [film.seq for film in films] == list(range(1, len(films) + 1))
    assert films == sorted(films, key=lambda film: (film.time, film.id))


def test_limit_takes_the_first_and_their_order_does_not_change(films: list[Event]) -> None:
    first = list(movies(limit=3))
    assert first == films[:3]
    assert [film.attributes["title"][0] for film in first] == [
        "Blacksmith Scene",
        "Sioux Ghost Dance",
        "Hadj Cheriff",
    ]


def test_table_holds_the_same(films: list[Event]) -> None:
    table = movies_table()
    assert table.column_names == [
        "id",
        "time",
        "title",
        "year",
        "length",
        "rating",
        "votes",
        "budget",
        "mpaa",
        "genre",
    ]
    assert table.num_rows == len(films)
    for film, row in zip(films[::97], table.take(list(range(0, len(films), 97))).to_pylist(), strict=True):
        assert (row.pop("id"), row.pop("time")) == (film.id, film.time)
        columns = {name: value for name, value in row.items() if value is not None}
        assert columns == {
            name: list(values) if name == "genre" else values[0] for name, values in film.attributes.items()
        }
