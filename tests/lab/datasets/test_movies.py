from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from rankcast.lab.datasets import FIRST_PUBLICATION, movies, movies_table
from rankcast.lab.datasets.movies import read_films
from rankcast.model import Event

pytestmark = pytest.mark.xdist_group("datasets")  # the file is read once for all of them


@pytest.fixture(scope="module")
def films() -> list[dict[str, Any]]:
    return read_films()


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return list(movies(limit=2_000))


def test_all_films_are_there(films: list[dict[str, Any]]) -> None:
    assert len(films) == 58_788
    assert len({film["title"] for film in films}) == 56_007


def test_genres_and_ratings_as_the_source_counts_them(films: list[dict[str, Any]]) -> None:
    assert Counter(genre for film in films for genre in film.get("genre", ["none"])) == {
        "drama": 21_811,
        "comedy": 17_271,
        "short": 9_458,
        "romance": 4_744,
        "action": 4_688,
        "animation": 3_690,
        "documentary": 3_472,
        "none": 12_786,
    }
    assert Counter(film.get("mpaa") for film in films) == {
        None: 53_864,
        "R": 3_377,
        "PG-13": 1_003,
        "PG": 528,
        "NC-17": 16,
    }
    assert sum("budget" not in film for film in films) == 53_573


def test_one_film(films: list[dict[str, Any]]) -> None:
    (film,) = [film for film in films if film["title"] == "'A' gai waak"]
    assert film == {
        "title": "'A' gai waak",
        "year": 1983,
        "length": 106,
        "rating": 7.1,
        "votes": 1259,
        "mpaa": "PG-13",
        "genre": ["action", "comedy"],
    }


def test_published_by_year_in_an_order_that_does_not_change(films: list[dict[str, Any]]) -> None:
    years = [film["year"] for film in films]
    assert years == sorted(years)
    assert [film["title"] for film in films[:3]] == ["Blacksmith Scene", "Sioux Ghost Dance", "Hadj Cheriff"]


def test_events_are_the_first_films(films: list[dict[str, Any]], events: list[Event]) -> None:
    assert len(events) == 2_000
    for film, event in zip(films, events, strict=False):
        assert event.attributes == {name: tuple(value) if name == "genre" else (value,) for name, value in film.items()}


def test_events_come_one_a_minute_and_are_numbered(events: list[Event]) -> None:
    assert events[0].time == FIRST_PUBLICATION == datetime(2026, 1, 1, tzinfo=UTC)
    assert {later.time - earlier.time for earlier, later in pairwise(events)} == {timedelta(minutes=1)}
    assert [event.seq for event in events] == list(range(1, 2_001))
    assert (events[0].id, events[-1].id) == ("m00001", "m02000")


@pytest.mark.slow
def test_events_of_all_films() -> None:
    last = list(movies())[-1]
    assert (last.id, last.seq) == ("m58788", 58_788)


def test_table_holds_the_same(films: list[dict[str, Any]], events: list[Event]) -> None:
    table = movies_table()
    assert table.column_names[:4] == ["id", "time", "title", "year"]
    columns = table.to_pydict()
    ids, times = columns.pop("id"), columns.pop("time")
    assert (ids[:2_000], times[:2_000]) == ([event.id for event in events], [event.time for event in events])
    assert columns == {name: [film.get(name) for film in films] for name in columns}
    assert {name for film in films for name in film} == set(columns)
