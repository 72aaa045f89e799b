"""Scores tie on the decimals that were given, not on the noise of floats (semantics: Producer-side top-k)."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from rankcast.language import parse
from rankcast.model import Advertisement, Catalog, Event, Ranking, Subscription
from rankcast.overlay import admitted, functions, register_scorer, registered_scorer

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_intervals_of_one_length_tie_whatever_their_decimals() -> None:
    catalog = Catalog([Advertisement("a1", "shop", parse("x between 0 and 1000000"), 1, Ranking.RELEVANCE_FAIR_TIES)])
    for number, (low, high) in enumerate([("0.1", "100000.3"), ("200000.1", "300000.3"), ("700000.7", "800000.9")]):
        where = parse(f"x between {low} and {high} or x = 500")
        catalog.add(Subscription(f"s{number}", f"u{number}", where))
    matched = [(one, 1.0) for one in catalog.subscriptions.values()]
    won: Counter[str] = Counter()
    for number in range(3_000):
        event = Event(f"e{number}", NOW, {"x": (500,)}, advertisement="a1")
        won.update(one.id for one, _ in admitted(catalog, event, matched))
    # 2 degrees of freedom: 18.4 is passed by one in ten thousand
    assert sum((won[f"s{number}"] - 1_000) ** 2 / 1_000 for number in range(3)) < 18.4


def test_a_tiny_difference_that_was_given_counts() -> None:
    catalog = Catalog([Advertisement("a1", "shop", parse("x > 0"), 1, Ranking.RELEVANCE_FAIR_TIES)])
    catalog.add(Subscription("less", "u1", parse("x between 0.1 and 0.1000000000000001 and y > 0")))
    catalog.add(Subscription("more", "u2", parse("x between 0.1 and 0.1000000000000002 and y > 0")))
    matched = [(one, 1.0) for one in catalog.subscriptions.values()]
    for number in range(50):
        event = Event(f"e{number}", NOW, {"x": (0.1,), "y": (1,)}, advertisement="a1")
        assert [one.id for one, _ in admitted(catalog, event, matched)] == ["more"]


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e9])
def test_values_of_a_ranking_function_tie_relatively(monkeypatch: pytest.MonkeyPatch, scale: float) -> None:
    """0.1 + 0.2 is 0.3 in any unit, and 0.31 is more."""
    monkeypatch.setattr(functions, "_KNOWN", {})
    values = {"s0": (0.1 + 0.2) * scale, "s1": 0.3 * scale, "s2": 0.31 * scale}
    register_scorer("given", lambda event, subscription, degree: values[subscription.id])
    scores = [
        registered_scorer("given").score(Event("e", NOW, {}), Subscription(name, "u", parse("true")), 1.0)
        for name in values
    ]
    assert scores[0] == scores[1] < scores[2]
