import asyncio
from typing import Any

import pytest

from rankcast.language import decode_event, decode_record
from rankcast.model import LeftShoulder, Table
from rankcast.service import Service
from rankcast.service.page.concepts.concept_desk import ConceptDesk, key_of
from rankcast.service.page.visitors import View, Visitor

RECORDS: list[dict[str, Any]] = [
    {"kind": "concept", "name": "dear", "attribute": "price", "right_shoulder": [60, 80]},
    {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [20, 40]},
    {"kind": "concept", "name": "cheap", "attribute": "price", "user": "ann", "left_shoulder": [10, 20]},
    {"kind": "concept", "name": "cheap", "attribute": "price", "user": "ben", "left_shoulder": [5, 9]},
    {"kind": "concept", "name": "round", "attribute": "price", "table": [[10, 1], [20, 1]]},
    {"kind": "concept", "name": "long", "attribute": "length", "right_shoulder": [1, 2]},
    {"kind": "subscription", "id": "s1", "user": "ben", "where": "length is long and price < 50"},
    {"kind": "subscription", "id": "s2", "user": "cid", "where": "price is dear"},
]


@pytest.fixture
def stocked(service: Service) -> Service:
    service.put(*(decode_record(record) for record in RECORDS))
    events = (
        {"id": f"e{n}", "time": "2026-01-01", "attributes": {"price": n, "length": n / 10}} for n in range(1, 100)
    )
    service.publish([decode_event(event) for event in events])
    return service


def desk(service: Service, user: str, switches: bool = False, **query: str) -> ConceptDesk:
    async def compute(function: Any, *arguments: Any) -> Any:
        return service.trials.run(user, function, *arguments)

    visitor = Visitor(user, switches=switches, publishes=switches, who=f"user {user}")
    made = ConceptDesk(View(service, visitor, query), compute)
    asyncio.run(made.load())
    return made


def names(of: ConceptDesk) -> list[tuple[str, str | None]]:
    return [(concept.name, concept.user) for concept in of.concepts()]


def test_a_user_sees_everybody_s_words_and_their_own_and_edits_their_own(stocked: Service) -> None:
    mine = desk(stocked, "ann", attribute="price")
    assert names(mine) == [("round", None), ("cheap", None), ("dear", None), ("cheap", "ann")]
    assert [mine.may_edit(concept) for concept in mine.concepts()] == [False, False, False, True]


def test_an_administrator_sees_and_edits_all(stocked: Service) -> None:
    all_of_it = desk(stocked, "ann", switches=True, attribute="price")
    assert names(all_of_it)[-2:] == [("cheap", "ann"), ("cheap", "ben")]
    assert all(all_of_it.may_edit(concept) for concept in all_of_it.concepts())


def test_it_begins_with_what_the_user_is_vague_about(stocked: Service) -> None:
    assert desk(stocked, "ben").attribute == "length"
    assert desk(stocked, "zoe").attribute == "price"
    begun = desk(stocked, "cid", attribute="price").first({})
    assert begun is not None
    assert begun.name == "dear"


def test_the_address_says_what_is_edited(stocked: Service) -> None:
    found = desk(stocked, "ben", attribute="price").first({"concept": "cheap"})
    assert found is not None
    assert (found.name, found.user) == ("cheap", None)
    own = desk(stocked, "ben", attribute="price").first({"concept": "cheap", "for": "ben"})
    assert own is not None
    assert own.user == "ben"


def test_the_draft_is_drawn_in_place_of_what_is_saved(stocked: Service) -> None:
    of = desk(stocked, "ann", switches=True, attribute="price")
    cheap = of.catalog.concepts["price", "cheap", None]
    picture = of.picture(cheap, LeftShoulder(30, 130))
    assert picture.edited is not None
    assert picture.edited.membership == LeftShoulder(30, 130)
    assert picture.axis.high >= 130
    assert [curve.name for curve in picture.curves] == ["cheap", "dear"]  # nobody's own, and no table beside curves
    assert picture.edited.key == key_of(cheap) == picture.curves[0].key
    assert picture.edited.colour == picture.curves[0].colour


def test_two_meanings_of_a_word_are_told_apart(stocked: Service) -> None:
    of = desk(stocked, "ann", attribute="price")
    own = of.catalog.concepts["price", "cheap", "ann"]
    assert [curve.name for curve in of.picture(own, own.membership).curves] == ["cheap (everybody)", "dear", "cheap"]


def test_a_table_is_drawn_over_categories(stocked: Service) -> None:
    of = desk(stocked, "ann", switches=True, attribute="price")
    table = of.catalog.concepts["price", "round", None]
    picture = of.picture(table, Table(((10, 0.5),)))
    assert picture.axis.categories is not None
    assert [curve.name for curve in picture.curves] == ["round"]


def test_proposals_come_from_the_data_and_what_is_asked_for(stocked: Service) -> None:
    found = asyncio.run(desk(stocked, "ann", attribute="price").proposals())
    assert found.summary.count == 99
    everybody = desk(stocked, "ann", switches=True, attribute="price")
    assert asyncio.run(everybody.proposals()).summary.count == 100
    assert found.concepts[0].name == "cheap"
    assert len(found.concepts) >= 2
