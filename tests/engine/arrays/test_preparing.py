"""What a shard compares in advance does not have to be compared at the first event, and changes nothing."""

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Event, Subscription
from rankcast.rank import Specificity

MANY = 600


@pytest.fixture
def catalog() -> Catalog:
    catalog = Catalog([Subscription("quiet", "bob", parse("x > 1"))])
    for number in range(MANY):
        catalog.put(Subscription(f"s{number}", "ann", parse(f"x >= {number} and y < {number}")))
    return catalog


def event(seq: int) -> Event:
    return Event(f"e{seq}", EPOCH, {"x": (1_000,), "y": (-1,)}, seq=seq)


def test_the_first_event_compares_nothing(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = BatchShard(catalog).publish([event(1)])
    shard = BatchShard(catalog)
    assert not shard.prepare(lambda: True)
    while not shard.prepare(iter([False] * 100 + [True]).__next__):
        pass
    monkeypatch.setattr("rankcast.cover.strict_covers.StrictCovers.add", None)  # it would fail
    assert shard.publish([event(1)]) == expected
    assert shard.take_set_aside() == []


def test_a_change_leaves_nothing_to_prepare(catalog: Catalog) -> None:
    shard = BatchShard(catalog)
    assert shard.prepare(lambda: False)
    changed = catalog.copy()
    changed.put(Subscription("new", "ann", parse("x >= 7 and y < 900")))
    shard.update(changed)
    assert shard.prepare(lambda: True)
    assert shard.publish([event(1)]) == BatchShard(changed).publish([event(1)])


def test_a_failure_is_left_to_the_event(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = BatchShard(catalog)

    def fail(*given: object) -> bool:
        raise OverflowError("too large")

    with monkeypatch.context() as patch:
        patch.setattr(Specificity, "prepare", fail)
        assert shard.prepare(lambda: False)
    assert len(shard.publish([event(1)])) == 2
