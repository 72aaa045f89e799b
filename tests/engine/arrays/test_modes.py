"""The array modes: the policies they serve, and the examples of semantics: Delivery modes."""

from datetime import timedelta

import pytest

from rankcast.engine.arrays import BatchShard, modes
from rankcast.engine.arrays.filters import array_filter, of_policy
from rankcast.engine.arrays.modes import suits
from rankcast.language import parse
from rankcast.model import (
    EPOCH,
    Catalog,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Norm,
    Policy,
    ScorePart,
    Select,
    Subscription,
)

GENRES = ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"]
SCORES = {"comedy": 0.9, "romance": 0.9, "drama": 0.8}


def sent(policy, events, scores, cuts):
    """What is sent at each window, in one line."""
    catalog = Catalog([Subscription(name, "ann", parse(f"genre = '{name}'"), score) for name, score in scores.items()])
    catalog.add(policy)
    shard = BatchShard(catalog)
    deliveries = []
    for start in range(0, len(events), cuts):
        deliveries += shard.publish(events[start : start + cuts])
    windows = {}
    for delivery in deliveries + shard.close():
        windows.setdefault(delivery.window, []).append(delivery.event)
    return " | ".join(" ".join(windows.get(window, ["-"])) for window in range(1, max(windows) + 1))


@pytest.mark.parametrize("cuts", [1, 3, 8])
@pytest.mark.parametrize(
    ("mode", "sigma", "expected"),
    [
        (Mode.PERIODIC, 0.5, "e2 e4 | e7 e8"),
        (Mode.SLIDING, 0.5, "e1 | e2 | - | e4 | e5 | e3 e6 | e7 | e8"),
        (Mode.SLIDING, 1.0, "e1 | e2 | - | e4 | e5 | e6 | e7 | e8"),
        (Mode.HISTORY, 0.5, "e1 | e2 | - | - | e5 | e6 | - | e8"),
        (Mode.HISTORY, 1.0, "e1 | e2 | - | - | e5 | e6"),
        (Mode.ALL, 1.0, "e1 | e2 | e3 | e4 | e5 | e6 | e7 | e8"),
    ],
)
def test_the_first_example(mode, sigma, expected, cuts):
    events = [
        Event(f"e{seq}", EPOCH + timedelta(minutes=seq), {"genre": (genre,)}, seq=seq)
        for seq, genre in enumerate(GENRES, 1)
    ]
    assert sent(Policy("ann", mode, 2, Length(4), sigma), events, SCORES, cuts) == expected


@pytest.mark.parametrize("cuts", [1, 2, 5])
def test_the_second_example(cuts):
    films = [("comedy", "Allen"), ("thriller", "Burton"), ("scare", "Hitchcock"), ("drama", "Spielberg")]
    films = [*films, ("tale", "Tarantino")]
    ranks = {"comedy": 0.9, "thriller": 0.9, "scare": 0.8, "drama": 0.85, "tale": 0.9}
    shown = {"scare": "thriller", "tale": "drama"}
    events = [
        Event(f"e{seq}", EPOCH, {"genre": (genre,), "kind": (shown.get(genre, genre),), "director": (who,)}, seq=seq)
        for seq, (genre, who) in enumerate(films, 1)
    ]
    policy = Policy("ann", Mode.SLIDING, 2, Length(3), 0.5, attributes=("kind", "director"))
    assert sent(policy, events, ranks, cuts) == "e1 | e2 | - | e4 | e3 e5"


def test_what_arrays_serve():
    sliding = {"mode": Mode.SLIDING, "k": 2, "length": Length(4)}
    assert suits(Policy("ann"))
    assert suits(Policy("ann", **sliding, sigma=0.5))
    assert suits(Policy("ann", **sliding, select=Select.EXACT))
    assert suits(Policy("ann", mode=Mode.HISTORY, k=2, length=Length(4), sigma=0.5, select=Select.EXACT))
    assert suits(Policy("ann", **sliding, sigma=0.5, select=Select.IMPROVED))
    assert suits(Policy("ann", mode=Mode.SLIDING, k=10, length=Length(400), sigma=0.5), is_live=True)
    assert not suits(Policy("ann", mode=Mode.SLIDING, k=11, length=Length(400), sigma=0.5), is_live=True)
    assert suits(Policy("ann", mode=Mode.SLIDING, k=11, length=Length(400), sigma=0.5))
    assert not suits(Policy("ann", **sliding, sigma=0.5, select=Select.EXACT))
    assert suits(Policy("ann", filter=Filter(FilterKind.RANDOM, rate=0.5)))
    assert not suits(Policy("ann", score={ScorePart.PREFERENCE: 1.0, ScorePart.RECENCY: 0.1}))


def test_a_field_that_arrays_do_not_know_goes_to_the_reference_engine(monkeypatch):
    given = Policy("ann", norm=Norm.PRODUCT, filter=Filter(FilterKind.THRESHOLD, 0.5, seed=3))
    assert suits(given)
    assert array_filter("ann", given.filter, ["s"]) is not None
    monkeypatch.setattr(modes, "_HONOURED", modes._HONOURED - {"norm"})
    monkeypatch.setattr(of_policy, "_HONOURED", of_policy._HONOURED - {"seed"})
    assert not suits(given)
    assert suits(Policy("ann"))
    assert array_filter("ann", given.filter, ["s"]) is None
    assert array_filter("ann", Filter(FilterKind.THRESHOLD, 0.5), ["s"]) is not None


def test_a_mode_that_arrays_do_not_know_goes_to_the_reference_engine(monkeypatch):
    sliding = Policy("ann", mode=Mode.SLIDING, k=2, length=Length(4))
    assert suits(sliding)
    monkeypatch.setattr(modes, "_MODES", modes._MODES - {Mode.SLIDING})
    assert not suits(sliding)
    assert suits(Policy("ann"))
