"""Decaying novelty that starts apart for each subscription, by hand or by preference (semantics: Novelty)."""

from datetime import timedelta

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard, replay
from rankcast.language import decode_record, parse
from rankcast.model import EPOCH, Catalog, Event, Subscription

FILTER = {"novelty": "minimum", "scoring": "decay", "minimum": 0.55, "rate": 1}


def catalog(**decay):
    known = Catalog(
        [
            Subscription("drama", "ann", parse("genre = 'drama'"), score=1.0),
            Subscription("short", "ann", parse("genre = 'short'"), score=0.6),
        ]
    )
    known.add(decode_record({"kind": "policy", "user": "ann", "filter": FILTER, "decay": {"alpha": 0.1, **decay}}))
    return known


def events(count=20):
    return [
        Event(f"e{n}", EPOCH + timedelta(minutes=n), {"genre": ("drama" if n % 2 else "short",)}, seq=n)
        for n in range(1, count + 1)
    ]


def counted(sent):
    return [sum(name in one.subscriptions for one in sent) for name in ("drama", "short")]


@pytest.mark.parametrize(
    ("decay", "passed"),
    [
        ({}, [5, 5]),
        ({"betas": {"short": 0.7}}, [5, 2]),
        ({"preferred": True}, [5, 1]),
        ({"preferred": True, "beta": 1.2}, [7, 2]),
    ],
)
def test_every_engine_starts_where_the_policy_says(decay, passed):
    plain = replay(catalog(**decay), events())
    assert counted(plain) == passed
    shard = BatchShard(catalog(**decay))
    assert [*shard.publish(events()), *shard.close()] == plain


def test_a_changed_preference_keeps_the_matches_so_far():
    known = catalog(preferred=True)
    shard = Shard(known)
    first = shard.publish(events(6))
    changed = known.copy()
    changed.put(Subscription("short", "ann", parse("genre = 'short'"), score=1.0))
    shard.update(changed)
    later = shard.publish(events()[6:])
    assert counted(first) == [3, 1]
    assert counted(later) == [2, 2], "short starts at 1 now, and three matches are behind it"
