"""How evenly a user could be served (semantics: Even shares)."""

from datetime import timedelta

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.lab.evenness import evenness, matched_places
from rankcast.lab.statistics import user_places, user_stats
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Event, Filter, FilterKind, Policy, Subscription, Update
from rankcast.rank import Place

GENRES = ["drama"] * 14 + ["short"] * 4 + ["news"] * 2


def catalog(*policies):
    return Catalog([*(Subscription(name, "ann", parse(f"genre = '{name}'")) for name in set(GENRES)), *policies])


def events(count=200):
    return [
        Event(f"e{n}", EPOCH + timedelta(minutes=n), {"genre": (GENRES[n * 7 % 20],)}, seq=n)
        for n in range(1, count + 1)
    ]


def test_an_event_counts_at_its_most_specific_subscriptions():
    known = Catalog(
        [
            Subscription("all", "ann", parse("genre exists")),
            Subscription("short", "ann", parse("genre = 'short'")),
        ]
    )
    assert set(matched_places(known, "ann", events(20))) == {(Place("all", True),), (Place("short"),)}


def test_the_optimum_is_at_least_what_any_filter_reaches():
    for kind in (FilterKind.THRESHOLD, FilterKind.SAMPLING, FilterKind.RANDOM):
        known = catalog(Policy("ann", filter=Filter(kind, 0.2, 50, update=Update.LAZY)))
        sent = replay(known, events())
        rate = len(sent) / 200
        best = evenness(known, "ann", events(), rate=rate)
        assert best.k == len(sent)
        assert user_stats("ann", user_places(known, "ann"), sent).entropy <= best.optimum.entropy + 1e-9


def test_takes_rate_and_period_from_the_policy():
    found = evenness(catalog(Policy("ann", filter=Filter(FilterKind.THRESHOLD, 0.2, 50))), "ann", events())
    assert (found.rate, found.k, found.matched) == (0.2, 40, 200)
    assert (found.even.least, found.even.most) == pytest.approx((3 / 50, 0.3))
    assert found.advice.startswith("with 0.2 you can have all 3 topics evenly")
    assert found.to_json()["optimum"]["exact"] is True


def test_nothing_matches():
    found = evenness(catalog(), "ann", [])
    assert (found.matched, found.even, found.to_json()["r_max"]) == (0, None, None)
