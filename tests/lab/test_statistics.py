"""The measures of a user (semantics: Novelty)."""

import math
from datetime import timedelta

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.lab.statistics import thresholds, user_places, user_stats
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Delivery, Event, Filter, FilterKind, Policy, Subscription
from rankcast.rank import Place


def delivery(seq, *subscriptions, hours=0):
    time = EPOCH + timedelta(hours=hours)
    return Delivery("ann", f"e{seq}", seq, 0.5, subscriptions, time, time, seq)


def catalog(*policies):
    wheres = {"drama": "genre = 'drama'", "burton": "genre = 'drama' and director = 'Burton'", "short": "length < 30"}
    return Catalog([Subscription(name, "ann", parse(where)) for name, where in wheres.items()] + list(policies))


def test_a_subscription_that_covers_another_counts_at_other():
    assert user_places(catalog(), "ann") == (Place("drama", True), Place("burton"), Place("short"))


def test_the_example_of_the_thesis():
    everywhere = (Place("a"), Place("b"), Place("c"))
    sent = [delivery(seq, name) for seq, name in enumerate("a" * 20 + "b" * 30 + "c" * 50, 1)]
    found = user_stats("ann", everywhere, sent)
    assert (round(found.entropy, 5), round(found.fairness, 5)) == (1.48548, 0.87719)
    assert found.highest == pytest.approx(math.log2(3))
    assert found.counts == (((Place("a"), 20), (Place("b"), 30), (Place("c"), 50)))
    assert found.distances.mean == 1


def test_a_subscription_that_was_left_counts_no_more():
    found = user_stats("ann", (Place("a"), Place("b")), [delivery(1, "a"), delivery(2, "gone"), delivery(3, "b")])
    assert (found.deliveries, found.entropy) == (3, 1.0)


def test_over_time_picks_a_span_that_shows_something():
    sent = [delivery(number, "a", hours=hours) for number, hours in enumerate((5, 6, 6, 9), 1)]
    found = user_stats("ann", (Place("a"),), sent)
    assert (found.span, found.over_time) == (timedelta(hours=1), (1, 2, 0, 0, 1))
    assert found.start == EPOCH + timedelta(hours=5)
    assert user_stats("ann", (Place("a"),), []).over_time == ()


def test_json_has_it_all():
    found = user_stats("ann", (Place("a", True), Place("b")), [delivery(1, "a"), delivery(2, "b")]).to_json()
    assert found["places"] == [{"place": "a, OTHER", "deliveries": 1}, {"place": "b", "deliveries": 1}]
    assert found["over_time"] == {"from": "1970-01-01T00:00:00Z", "every": "1m", "deliveries": [2]}


def events(count):
    return [
        Event(f"e{seq}", EPOCH + timedelta(minutes=seq), {"genre": ("drama",), "length": (seq % 60,)}, seq=seq)
        for seq in range(1, count + 1)
    ]


def test_thresholds_after_each_period():
    made = catalog(Policy("ann", filter=Filter(FilterKind.THRESHOLD, 0.2, 20)))
    bars = thresholds(made, events(70), "ann")
    assert [(bar.matched, bar.seq) for bar in bars] == [(20, 20), (40, 40), (60, 60)]
    assert all(0 < bar.threshold <= 1 for bar in bars)
    assert len(replay(made, events(20))) == 4


def test_no_thresholds_without_such_a_filter():
    assert thresholds(catalog(), events(5), "ann") == []
    assert thresholds(catalog(Policy("ann", filter=Filter(FilterKind.RANDOM, 0.5))), events(5), "ann") == []
