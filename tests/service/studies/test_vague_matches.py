from typing import Any

from rankcast.language import decode_event, decode_record, parse
from rankcast.model import Catalog, Event, Subscription
from rankcast.service.studies.vague_matches import MOST, kinds_of_matches

CATALOG = Catalog(
    [
        decode_record(record)
        for record in (
            {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [20, 40]},
            {"kind": "subscription", "id": "s1", "user": "ann", "where": "price is cheap"},
            {"kind": "subscription", "id": "s2", "user": "ann", "where": "price is cheap and size > 3"},
            {"kind": "subscription", "id": "s3", "user": "ben", "where": "price > 1"},
        )
    ]
)


def event(**attributes: Any) -> Event:
    return decode_event({"id": "e1", "time": "2026-01-01", "attributes": attributes})


def test_outright_is_what_is_possible_and_certain() -> None:
    kinds = kinds_of_matches(CATALOG, "ann", [event(price=10), event(price=25), event(price={"between": [10, 35]})])
    assert [one.event.attributes["price"] for one in kinds.outright] == [(10,)]
    crisp, ranged = kinds.vaguely
    assert (crisp.possibility, crisp.necessity) == (0.75, 0.75)
    assert crisp.vague == ("price is cheap: 25",)
    assert (ranged.possibility, ranged.necessity) == (1.0, 0.25)
    assert ranged.vague == ("price is cheap: 10 to 35",)


def test_an_event_stands_once_at_its_best() -> None:
    kinds = kinds_of_matches(CATALOG, "ann", [event(price=30, size=5), event(price=90)])
    assert len(kinds.vaguely) == 1
    assert kinds.events == 2


def test_a_crisp_wish_against_a_range_may_be_uncertain() -> None:
    kinds = kinds_of_matches(CATALOG, "ben", [event(price={"between": [0, 5]}), event(price=2)])
    assert [(one.possibility, one.necessity) for one in kinds.vaguely] == [(1.0, 0.0)]
    assert len(kinds.outright) == 1


def test_a_user_without_subscriptions_matches_nothing() -> None:
    kinds = kinds_of_matches(CATALOG, "zoe", [event(price=10)])
    assert (kinds.outright, kinds.vaguely) == ((), ())


def test_of_very_many_subscriptions_some_are_left_out_and_it_is_said() -> None:
    many = [Subscription(f"s{number}", "max", parse(f"price > {number}")) for number in range(MOST + 5)]
    kinds = kinds_of_matches(Catalog(many), "max", [event(price=1)])
    assert (len(kinds.outright), kinds.left_out) == (1, 5)
