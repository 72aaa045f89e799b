"""``rankcast match``: semantics: Events and subscriptions; semantics: Approximate matching through the command, with every engine."""

import json
from collections.abc import Callable
from typing import Any

import pytest

ENGINES = ["oracle", "index", pytest.param("spark", marks=pytest.mark.spark)]

CATALOG = [
    {"kind": "concept", "name": "cheap", "attribute": "price", "trapezoid": [0, 0, 500, 900]},
    {"kind": "concept", "name": "cheap", "attribute": "price", "user": "dora", "left_shoulder": [50, 100]},
    {"kind": "concept", "name": "medium", "attribute": "size", "triangle": [40, 60, 80]},
    {"kind": "concept", "name": "old", "attribute": "condition", "table": {"worn": 1, "used": 0.7, "new": 0}},
    # text forms of semantics: Events and subscriptions
    {
        "kind": "subscription",
        "id": "t1",
        "user": "ann",
        "where": "genre = 'drama' and director = 'T. Burton' and release_date >= date '2003-01-01'",
    },
    {
        "kind": "subscription",
        "id": "t2",
        "user": "ann",
        "where": "(genre = 'comedy' and year > 1999) or (genre = 'short' and rating between 7 and 10)",
    },
    {
        "kind": "subscription",
        "id": "t3",
        "user": "bob",
        "where": "size is medium [0.8, 0] and price <= 1500 and condition is not old [1, 0.3]",
    },
    {
        "kind": "subscription",
        "id": "t4",
        "user": "bob",
        "where": "title startswith 'The ' and mpaa exists and start < time '2026-05-01T20:00:00Z' "
        "and not (genre in ('short', 'news'))",
    },
    # missing attributes
    {"kind": "subscription", "id": "n1", "user": "cat", "where": "not (x = 1)"},
    {"kind": "subscription", "id": "n2", "user": "cat", "where": "x != 1"},
    # degrees
    {"kind": "subscription", "id": "f1", "user": "cat", "where": "price is cheap"},
    {"kind": "subscription", "id": "f2", "user": "cat", "where": "price is cheap [0.7, 0.2]"},
    {"kind": "subscription", "id": "f3", "user": "cat", "where": "price is very cheap [0.2, 0]"},
    {"kind": "subscription", "id": "f4", "user": "dora", "where": "price is cheap"},
    {"kind": "subscription", "id": "f5", "user": "cat", "where": "price <= 700 [1, 0]"},
    # attitudes
    {"kind": "subscription", "id": "a1", "user": "eli", "where": "price is cheap [optimistic]"},
    {"kind": "subscription", "id": "a2", "user": "eli", "where": "price is cheap [indifferent]"},
    {"kind": "subscription", "id": "a3", "user": "eli", "where": "price is cheap [pessimistic]"},
    # two predicates on one imprecise value
    {"kind": "subscription", "id": "j1", "user": "fay", "where": "rent < 1000 and rent > 1500"},
    {"kind": "subscription", "id": "j2", "user": "fay", "where": "rent >= 1000 and rent <= 1500"},
    {"kind": "subscription", "id": "j3", "user": "fay", "where": "rent between 1000 and 1500"},
]


def event(name: str, minute: int, **attributes: Any) -> dict[str, Any]:
    return {"id": name, "time": f"2004-02-13T20:{minute:02}:00Z", "attributes": {"x": 1, **attributes}}


EVENTS = [
    event("burton", 1, genre=["drama", "comedy"], director="T. Burton", release_date={"time": "2004-02-13"}, year=1999),
    event("short", 2, genre="short", rating=7),
    event("flat", 3, size={"between": [58, 62]}, price=1500, condition="new"),
    event("the", 4, title="The Birds", mpaa="R", start={"time": "2026-05-01T19:59:59Z"}),
    event("at-700", 5, price=700),
    event("at-701", 6, price=701),
    event("about-700", 7, price={"between": [600, 800]}),
    event("said-cheap", 8, price={"is": "cheap"}),
    {"id": "empty", "time": "2004-02-13T20:09:00Z", "attributes": {}},
    event("wide", 10, rent={"between": [900, 1600]}),
    event("ends", 11, rent={"piecewise": [[850, 0], [900, 1], [950, 0], [1550, 0], [1600, 1], [1650, 0]]}),
]

EXPECTED = {
    ("burton", "t1"): 1,
    ("short", "t2"): 1,
    ("flat", "t3"): 1,
    ("the", "t4"): 1,
    ("at-700", "f1"): 0.5,
    ("at-700", "f3"): 0.25,
    ("at-700", "f5"): 1,
    ("at-701", "f3"): (199 / 400) ** 2,
    ("about-700", "f1"): 0.75,
    ("about-700", "f2"): 0.75,
    ("about-700", "f3"): 0.75**2,
    ("about-700", "f5"): 1,
    ("said-cheap", "f1"): 1,
    ("said-cheap", "f2"): 1,
    ("said-cheap", "f3"): 1,
    ("said-cheap", "f4"): 1,
    ("said-cheap", "f5"): 1,
    ("empty", "n1"): 1,
    ("at-700", "a1"): 0.5,
    ("at-700", "a3"): 0.5,
    ("about-700", "a1"): 0.75,
    ("about-700", "a2"): 0.75,
    ("said-cheap", "a1"): 1,
    ("said-cheap", "a2"): 1,
    ("said-cheap", "a3"): 1,
    ("wide", "j2"): 1,
    ("wide", "j3"): 1,
}


@pytest.fixture
def match(rankcast: Any, lines: Any) -> Callable[..., Any]:
    def run(catalog: list[Any], events: list[Any], *options: str, code: int = 0) -> Any:
        files = ("--catalog", lines("c.jsonl", catalog), "--events", lines("e.jsonl", events))
        return rankcast("match", *files, *options, code=code)

    return run


@pytest.mark.parametrize("engine", ENGINES)
def test_examples(match: Any, engine: str) -> None:
    output = match(CATALOG, EVENTS, "--engine", engine).stdout
    found = {(one["event"], one["subscription"]): one["degree"] for one in map(json.loads, output.splitlines())}
    unexpected = {key: found.get(key) for key in found.keys() ^ EXPECTED.keys()}
    assert not unexpected
    assert found == pytest.approx(EXPECTED, abs=1e-9)
    assert output == match(CATALOG, EVENTS).stdout


def test_sorted_by_event_then_by_place_in_the_catalog(match: Any) -> None:
    found = [json.loads(line) for line in match(CATALOG, EVENTS[::-1]).stdout.splitlines()]
    assert list(found[0]) == ["event", "subscription", "user", "degree"]
    places = [record.get("id") for record in CATALOG]
    times = [record["id"] for record in EVENTS]
    keys = [(times.index(one["event"]), places.index(one["subscription"])) for one in found]
    assert keys == sorted(keys)


def test_one_bad_record_costs_only_itself(match: Any) -> None:
    result = match([*CATALOG, {"kind": "subscription", "id": "t1", "user": "ann", "where": "x = 1"}], EVENTS, code=1)
    assert len(result.stdout.splitlines()) == len(EXPECTED)
    assert result.stderr == f"c.jsonl:{len(CATALOG) + 1}: duplicate subscription 't1', first on line 5\n"


def test_only_engines_that_exist(match: Any) -> None:
    said = " ".join(match(CATALOG, EVENTS, "--engine", "magic", code=2).stderr.split())
    assert "'oracle'" in said
    assert "'spark'" in said


def test_a_missing_file_is_a_usage_error(rankcast: Any) -> None:
    assert "there is no file" in rankcast("match", "--catalog", "no.jsonl", "--events", "no.jsonl", code=3).stderr
