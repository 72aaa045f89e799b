"""Scorers: what they score, and that their bounds hold."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.language import parse
from rankcast.model import Advertisement, Catalog, Event, Preference, ScorerName, Subscription
from rankcast.overlay import Custom, scorer_of
from rankcast.testing.strategies import conjunctions, events

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVENT = Event("e1", NOW, {"x": (1,)})


def catalog() -> Catalog:
    return Catalog(
        [
            Subscription("s1", "u", parse("x between 0 and 8"), score=0.4),
            Subscription("s2", "u", parse("x between 0 and 2"), weight=3),
            Subscription("s3", "u", parse("x > 0")),
            Preference("u", "s2", "s3"),
            Advertisement("a1", "shop", parse("x between 0 and 10"), 2),
        ]
    )


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        (ScorerName.AREA, [(-1, 8), (-1, 2), (-1, 10)]),
        (ScorerName.SELECTIVITY, [(0, 0.8), (0, 0.2), (0, 1)]),
        (ScorerName.PREFERENCE, [(0.4,), (1,), (0.5,)]),
        (ScorerName.WEIGHT, [(1,), (3,), (1,)]),
        (ScorerName.DEGREE, [(0.7,), (0.7,), (0.7,)]),
    ],
)
def test_what_they_score(name: ScorerName, scores: list[tuple[float, ...]]) -> None:
    known = catalog()
    scorer = scorer_of(known, known.advertisements["a1"], name)
    found = [scorer.score(EVENT, subscription, 0.7) for subscription in known.subscriptions.values()]
    assert found == scores


def test_the_advertisement_names_its_scorer() -> None:
    known = catalog()
    known.put(Advertisement("a1", "shop", parse("true"), 2, score=ScorerName.WEIGHT))
    assert scorer_of(known, known.advertisements["a1"]).score(EVENT, known.subscriptions["s2"], 1) == (3,)


def test_a_custom_scorer_claims_nothing_unless_told() -> None:
    subscription = catalog().subscriptions["s1"]
    free = Custom(lambda event, subscription, degree: 5 * degree)
    assert free.score(EVENT, subscription, 0.5) == (2.5,)
    assert free.bounds(subscription) == ((float("-inf"),), (float("inf"),))
    bounded = Custom(lambda event, subscription, degree: 5 * degree, lambda subscription: (0, 5))
    assert bounded.bounds(subscription) == ((0,), (5,))


@given(conjunctions(), events(), st.sampled_from(ScorerName), st.floats(0, 1))
def test_every_score_lies_within_its_bounds(where: object, event: Event, name: ScorerName, degree: float) -> None:
    subscription = Subscription("s1", "u", where, score=0.3, weight=2)
    known = Catalog([subscription, Advertisement("a1", "shop", parse("a between 0 and 5"), 2)])
    scorer = scorer_of(known, known.advertisements["a1"], name)
    low, high = scorer.bounds(subscription)
    assert low <= scorer.score(event, subscription, degree) <= high
