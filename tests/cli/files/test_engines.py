"""All engines give the same, on events and catalogs that nobody wrote by hand."""

from datetime import timedelta

import pytest

from rankcast.cli.files.engines import match_all, replay_all
from rankcast.cli.output import Output
from rankcast.engine.choice import Engine
from rankcast.engine.reference.shard import replay
from rankcast.lab.datasets import demo_catalog, movies
from rankcast.language import decode_record
from rankcast.model import Catalog, Event

ENGINES = ["local", "index", pytest.param("spark", marks=pytest.mark.spark)]


@pytest.fixture(scope="module")
def films() -> list[Event]:
    return list(movies(1500))


def test_the_oracle_is_the_shard(films: list[Event]) -> None:
    catalog = demo_catalog()
    assert replay_all(Engine.ORACLE, catalog, films, Output()) == replay(catalog, films)


@pytest.mark.parametrize("engine", ENGINES)
def test_replay(films: list[Event], engine: str) -> None:
    catalog = demo_catalog()
    expected = replay(catalog, films)
    assert expected
    assert replay_all(Engine(engine), catalog, films, Output()) == expected


@pytest.mark.spark
def test_match(films: list[Event]) -> None:
    catalog = demo_catalog()
    expected = list(match_all(Engine.ORACLE, catalog, films, Output()))
    assert expected
    assert list(match_all(Engine.SPARK, catalog, films, Output())) == expected


@pytest.mark.spark
def test_times_and_imprecise_values_survive_the_journey(films: list[Event]) -> None:
    odd = [
        Event("a", films[0].time + timedelta(microseconds=1), {"when": (films[0].time,), "ok": (True, False)}, seq=1),
        Event("b", films[0].time.replace(year=2999), {"é": ("\U0001f600", "'\"\\")}, source="s", seq=2),
    ]
    catalog = Catalog([decode_record({"kind": "subscription", "id": "s", "user": "ü", "where": "true"})])
    expected = replay(catalog, odd)
    assert replay_all(Engine.SPARK, catalog, odd, Output()) == expected
    assert len(expected) == 2


@pytest.mark.spark
def test_events_under_an_advertisement(films: list[Event]) -> None:
    forms = [
        {"kind": "subscription", "id": f"s{n}", "user": f"u{n}", "where": f"x >= {n} and x <= 20"} for n in range(10)
    ]
    forms.append({"kind": "advertisement", "id": "a", "publisher": "p", "where": "x >= 0", "k": 3, "score": "area"})
    catalog = Catalog([decode_record(form) for form in forms])
    published = [
        Event(f"e{n}", films[n].time, {"x": (n,)}, advertisement="a" if n % 2 else None, seq=n) for n in range(1, 9)
    ]
    expected = replay(catalog, published)
    assert sum(delivery.event == "e5" for delivery in expected) == 3
    for engine in (None, *Engine):
        assert replay_all(engine, catalog, published, Output()) == expected
