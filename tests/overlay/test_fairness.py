"""Fairness through the overlay: equal subscriptions are chosen with frequency k/n, by a test that can fail (semantics: Producer-side top-k)."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from rankcast.language import parse
from rankcast.model import Advertisement, Event, Ranking, Subscription
from rankcast.overlay import AncestorCoverK, AncestorFairK, Overlay, RegularK, Standing, Strategy, Tree

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SUBSCRIBERS = 24
BROKERS = ("b1", "b2", "b3", "b4")
TREE = Tree([("b0", "b1"), ("b1", "b2"), ("b2", "b3"), ("b2", "b4")])
TRIALS = 2_400
UNLIKELY = 57.1
"""Chi-square with 23 degrees of freedom is above this once in ten thousand times."""


def chi_square(strategy: Strategy, k: int) -> float:
    """Of how often each of some equal subscriptions was chosen; they live at brokers near and far."""
    overlay = Overlay(TREE)
    overlay.advertise(Advertisement("a1", "shop", parse("x > 0"), k, Ranking.FAIR), "b0", strategy)
    homes = [BROKERS[number % len(BROKERS)] for number in range(SUBSCRIBERS)]
    overlay.subscribe_all((Subscription(f"s{at}", "u", parse("x > 1")), home) for at, home in enumerate(homes))
    counts = Counter(
        name
        for number in range(TRIALS)
        for name in overlay.publish(Event(f"e{number}", NOW, {"x": (5,)}, advertisement="a1")).recipients
    )
    due = TRIALS * k / SUBSCRIBERS
    # drawn without replacement, k out of n: the statistic is smaller by (n - k) / (n - 1)
    scale = (SUBSCRIBERS - 1) / (SUBSCRIBERS - k)
    return scale * sum((counts[f"s{at}"] - due) ** 2 / due for at in range(SUBSCRIBERS))


@pytest.mark.parametrize("k", [1, 3])
def test_all_known_all_equal(k: int) -> None:
    assert chi_square(RegularK(), k) < UNLIKELY


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_weights_make_up_for_what_is_hidden(k: int) -> None:
    assert chi_square(AncestorFairK(), k) < UNLIKELY


@pytest.mark.parametrize("k", [1, 3])
def test_without_weights_the_near_are_preferred(k: int) -> None:
    """The test can fail: this strategy knows less of those far away."""
    assert chi_square(AncestorCoverK(Standing.COVER), k) > 10 * UNLIKELY
