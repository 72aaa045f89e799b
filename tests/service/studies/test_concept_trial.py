from pathlib import Path
from typing import Any

from rankcast.lab.concept_effects import meant_by
from rankcast.language import decode_event, decode_record
from rankcast.model import Catalog, Concept, Event, LeftShoulder, RightShoulder
from rankcast.service.studies.concept_trial import ConceptTrial, try_concepts
from rankcast.service.trial_tasks import TrialHistory
from rankcast.store import Store

CHEAP = {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [20, 40]}


def subscription(name: str, user: str, where: str) -> dict[str, Any]:
    return {"kind": "subscription", "id": name, "user": user, "where": where}


def catalog(*more: dict[str, Any]) -> Catalog:
    records = [CHEAP, *more]
    return Catalog([decode_record(record) for record in records])


def priced(*prices: Any) -> list[Event]:
    return [
        decode_event({"id": f"e{number}", "time": "2026-01-01", "attributes": {"price": price}})
        for number, price in enumerate(prices)
    ]


def concept(of: Catalog, user: str | None = None) -> Concept:
    return of.concepts["price", "cheap", user]


def test_the_effect_of_a_change_is_what_matching_says() -> None:
    of = catalog(subscription("s1", "ann", "price is cheap"), subscription("s2", "ben", "price > 5"))
    effects = ConceptTrial(of, concept(of), priced(10, 30, 35, 50, 70)).of(LeftShoulder(40, 60))
    (row,) = effects.rows
    assert (row.subscription.id, row.before, row.after) == ("s1", 2, 4)
    assert [event.id for event in row.gained] == ["e2", "e3"]
    assert (effects.fits, effects.events) == ((2, 4), 5)


def test_what_is_lost_is_named_too() -> None:
    of = catalog(subscription("s1", "ann", "price is cheap or size > 3"))
    events = [*priced(10, 28), decode_event({"id": "big", "time": "2026-01-01", "attributes": {"size": 4}})]
    effects = ConceptTrial(of, concept(of), events).of(LeftShoulder(5, 15))
    (row,) = effects.rows
    assert (row.before, row.after) == (3, 2)
    assert [event.id for event in row.lost] == ["e1"]


def test_users_with_a_meaning_of_their_own_are_not_meant() -> None:
    of = catalog(
        {**CHEAP, "user": "ben"},
        subscription("s1", "ann", "price is cheap"),
        subscription("s2", "ben", "price is very cheap"),
    )
    assert [one.id for one in meant_by(of, concept(of))] == ["s1"]
    assert [one.id for one in meant_by(of, concept(of, "ben"))] == ["s2"]


def test_an_own_meaning_that_is_only_a_draft_is_tried_on_the_user_alone() -> None:
    of = catalog(subscription("s1", "ann", "price is cheap"), subscription("s2", "ben", "price is cheap"))
    draft = Concept("cheap", "price", LeftShoulder(20, 40), "ben")
    effects = ConceptTrial(of, draft, priced(30, 50)).of(LeftShoulder(60, 80))
    assert [(row.subscription.id, row.before, row.after) for row in effects.rows] == [("s2", 1, 2)]


def test_imprecise_values_count_as_far_as_they_are_possible() -> None:
    of = catalog(subscription("s1", "ann", "price is cheap"))
    events = priced({"between": [35, 45]}, {"is": "cheap"}, {"between": [50, 60]})
    effects = ConceptTrial(of, concept(of), events).of(LeftShoulder(40, 60))
    assert effects.fits == (1, 3)
    assert (effects.rows[0].before, effects.rows[0].after) == (1, 3)


def test_one_who_may_not_see_others_sees_their_own_only() -> None:
    of = catalog(subscription("s1", "ann", "price is cheap"), subscription("s2", "ben", "price is cheap"))
    assert [one.user for one in ConceptTrial(of, concept(of), [], only_user="ann").using] == ["ann"]


def test_several_meanings_are_tried_together_also_where_events_say_the_word(tmp_path: Path) -> None:
    more = [
        {**CHEAP, "name": "dear", "right_shoulder": [60, 80]},
        subscription("s1", "ann", "price is cheap or price is dear"),
        subscription("s2", "ben", "price < 25 [1, 0]"),
        subscription("s3", "cem", "size > 3"),
    ]
    del more[0]["left_shoulder"]
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=[decode_record(record) for record in (CHEAP, *more)])
        store.publish(priced(10, 50, 90, {"is": "cheap"}))
    history = TrialHistory(str(tmp_path / "s.db"), 100, 10**6)
    proposed = [Concept("cheap", "price", LeftShoulder(100, 120)), Concept("dear", "price", RightShoulder(200, 300))]
    effects = try_concepts(history, None, proposed, None)
    assert {row.subscription.id: (row.before, row.after) for row in effects.rows} == {"s1": (3, 4), "s2": (2, 2)}
    assert [event.id for event in effects.rows[0].gained] == ["e1"]
    assert [row.subscription.id for row in try_concepts(history, None, proposed, "ben").rows] == ["s2"]
