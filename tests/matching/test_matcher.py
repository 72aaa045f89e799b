import random
from datetime import UTC, datetime
from typing import Any

import pytest

from rankcast import model
from rankcast.errors import CatalogError
from rankcast.language import decode_record, parse
from rankcast.matching import Matcher, OracleMatcher, evaluate
from rankcast.matching import matcher as module


def subscription(name: str, user: str, where: str) -> model.Subscription:
    return model.Subscription(name, user, parse(where))


def event(**attributes: model.AttributeValue) -> model.Event:
    return model.Event("e1", datetime(2004, 2, 13, tzinfo=UTC), attributes)


def matcher_of(catalog: model.Catalog) -> OracleMatcher:
    return OracleMatcher(
        catalog.subscriptions.values(),
        meaning_of=lambda user: lambda attribute, term: catalog.membership(attribute, term, user),
        norm_of=lambda user: catalog.policy_of(user).norm,
        shared=catalog.membership,
    )


def found(matcher: Matcher, published: model.Event) -> list[tuple[str, float]]:
    return [(subscription.id, degree) for subscription, degree in matcher.match(published)]


def test_matches_come_in_the_order_given() -> None:
    matcher = OracleMatcher(
        [
            subscription("s3", "ann", "year > 1999"),
            subscription("s1", "bob", "genre = 'drama'"),
            subscription("s4", "bob", "genre = 'horror'"),
            subscription("s2", "ann", "year > 1999"),
        ]
    )
    assert found(matcher, event(genre=("drama",), year=(2004,))) == [("s3", 1.0), ("s1", 1.0), ("s2", 1.0)]
    assert found(matcher, event(genre=("horror",))) == [("s4", 1.0)]
    assert found(matcher, event()) == []


def test_nothing_to_match() -> None:
    assert found(OracleMatcher([]), event(year=(2004,))) == []


CATALOG = model.Catalog(
    [
        model.Concept("cheap", "price", model.LeftShoulder(500, 900)),
        model.Concept("cheap", "price", model.LeftShoulder(50, 90), user="bob"),
        subscription("s1", "ann", "price is cheap"),
        subscription("s2", "bob", "price is cheap"),
        subscription("s3", "ann", "price <= 600 [0.2, 0] and size <= 70 [0.2, 0]"),
        subscription("s4", "bob", "price <= 600 [0.2, 0] and size <= 70 [0.2, 0]"),
        model.Policy("bob", norm=model.Norm.PRODUCT),
    ]
)


def test_each_user_has_their_own_meaning() -> None:
    assert found(matcher_of(CATALOG), event(price=(600,))) == [("s1", 0.75)]
    assert found(matcher_of(CATALOG), event(price=(60,))) == [("s1", 1.0), ("s2", 0.75)]


def test_concepts_in_events_are_everybodys() -> None:
    where = parse("price is cheap [0, 0.1]")
    catalog = model.Catalog(
        [*CATALOG.concepts.values(), model.Subscription("s1", "bob", where), model.Subscription("s2", "ann", where)]
    )
    # much that everybody calls cheap is not cheap to bob
    assert found(matcher_of(catalog), event(price=model.Term("cheap"))) == [("s2", 1.0)]


def test_each_user_has_their_own_norm() -> None:
    vague = event(price=model.RightShoulder(500, 700), size=model.RightShoulder(60, 80))
    assert found(matcher_of(CATALOG), vague)[-2:] == [("s3", 0.5), ("s4", 0.25)]


def test_degrees_are_those_of_evaluate() -> None:
    published = event(price=model.LeftShoulder(550, 950), size=model.LeftShoulder(40, 90))
    for subscription, degree in matcher_of(CATALOG).match(published):
        user = subscription.user
        outcome = evaluate(
            subscription.where,
            published,
            lambda attribute, term, user=user: CATALOG.membership(attribute, term, user),
            CATALOG.policy_of(user).norm,
            CATALOG.membership,
        )
        assert (outcome.holds, outcome.possibility) == (True, degree)


def test_equal_to_python_is_not_the_same_question() -> None:
    matcher = OracleMatcher([subscription("s1", "ann", "x = 1"), subscription("s2", "ann", "x = true")])
    assert found(matcher, event(x=(1,))) == [("s1", 1.0)]
    assert found(matcher, event(x=(True,))) == [("s2", 1.0)]


def test_each_question_is_asked_once_per_event(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def counted(where: Any, *rest: Any) -> bool:
        asked.append(where)
        return True

    monkeypatch.setattr(module, "matches_crisp", counted)
    matcher = OracleMatcher([subscription(f"s{n}", f"u{n}", f"x = {n % 3}") for n in range(30)])
    assert len(found(matcher, event(x=(1,)))) == 30
    assert len(asked) == 3


def test_concepts_of_events_need_a_meaning() -> None:
    matcher = OracleMatcher([subscription("s1", "ann", "price < 5")])
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'price'"):
        found(matcher, event(price=model.Term("cheap")))


def test_a_matcher_made_from_the_one_before_is_the_same_as_a_new_one():
    """Also if an id has another expression now, or an equal one of another type."""
    texts = ["x = 1", "x = true", "x > 2 and y = 'a'", "not x = 1"]
    events = [
        model.Event("e", datetime(2026, 1, 1, tzinfo=UTC), values)
        for values in ({"x": (1,)}, {"x": (True,)}, {"x": (3,), "y": ("a",)}, {})
    ]
    before = None
    for shift in range(5):
        subscriptions = [
            model.Subscription(f"s{n}", f"u{n % 3}", parse(texts[(n + shift) % 4])) for n in range(10 - shift)
        ]
        catalog = model.Catalog(subscriptions)
        before = OracleMatcher.of(catalog, before=before)
        new = OracleMatcher.of(catalog)
        assert [list(before.match(event)) for event in events] == [list(new.match(event)) for event in events]


def test_a_matcher_made_from_one_that_begins_alike_is_the_same_as_a_new_one():
    """Also if a policy or a concept means something else now."""
    rng = random.Random(4)
    texts = ["x = 1", "x = true", "x > 2 and y = 'a'", "not x = 1", "price is cheap and x = 1"]
    values = (
        {"x": (1,)},
        {"x": (True,)},
        {"x": (3,), "y": ("a",)},
        {"x": (1,), "price": (4,)},
        {"price": model.Term("cheap")},
    )
    events = [model.Event("e", datetime(2026, 1, 1, tzinfo=UTC), one) for one in values]
    for _ in range(20):
        before, catalog, kinds = None, model.Catalog(), rng.choice([4, 5])
        catalog.put(decode_record({"kind": "concept", "attribute": "price", "name": "cheap", "triangle": [1, 3, 5]}))
        for step in range(12):
            catalog = catalog.copy()
            catalog.put(
                model.Subscription(f"s{rng.choice([step, step, 0])}", "ann", parse(texts[rng.randrange(kinds)]))
            )
            if rng.random() < 0.3:
                catalog.put(subscription(f"b{step}", "ben", texts[rng.randrange(kinds)]))
            if rng.random() < 0.2:
                norm = rng.choice(["min", "product"])
                catalog.put(decode_record({"kind": "policy", "user": "ann", "mode": "all", "norm": norm}))
            if rng.random() < 0.2:
                top = rng.choice([3, 4])
                cheap = {"kind": "concept", "attribute": "price", "name": "cheap", "triangle": [1, top, 5]}
                catalog.put(decode_record(cheap))
            before = OracleMatcher.of(catalog, before=before)
            new = OracleMatcher.of(catalog)
            assert [list(before.match(event)) for event in events] == [list(new.match(event)) for event in events]
