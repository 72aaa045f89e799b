"""Loading the compiled loops serves every policy over arrays, and leaves nothing to compile while events are served."""

import sys
from datetime import timedelta
from itertools import count, islice

import pytest
from numba.core.dispatcher import Dispatcher

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.engine.warming import warm_up
from rankcast.language import decode_record
from rankcast.model import EPOCH, Catalog, Event

POLICIES = (
    {},
    {"mode": "sliding", "k": 100, "length": 500, "sigma": 0.5, "select": "improved"},
    {"mode": "sliding", "k": 20, "length": 200, "sigma": 0.5},
    {"mode": "sliding", "k": 20, "length": "10s"},
    {"mode": "history", "k": 50, "length": 100_000, "sigma": 0.5},
    {"mode": "history", "k": 5, "length": 50},
    {"mode": "periodic", "k": 20, "length": 50, "sigma": 0.5},
    {"mode": "periodic", "k": 3, "length": 4},
    {"mode": "periodic", "k": 3, "length": "5s"},
)
APART = (
    {"mode": "sliding", "k": 20, "length": 60, "sigma": 0.5},
    {"mode": "sliding", "k": 20, "length": 60, "sigma": 0.5, "select": "improved"},
    {"mode": "sliding", "k": 20, "length": 60, "sigma": 0.5, "calm": 0.1},
    {"mode": "sliding", "k": 20, "length": 60, "sigma": 0.5, "objective": "max_min"},
    {"mode": "sliding", "k": 20, "length": 60, "sigma": 0.5, "objective": "max_min", "select": "improved"},
    {"mode": "sliding", "k": 4, "length": 9, "sigma": 0.5, "select": "exact"},
    {"mode": "periodic", "k": 20, "length": 60, "sigma": 0.5, "select": "improved"},
    {"mode": "history", "k": 20, "length": 60, "sigma": 0.5, "select": "improved"},
)
"""Some do not suit arrays in a live shard: the reference engine serves them, and chooses by compiled loops too."""


def test_arrays_serve_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: object) -> None:
        raise AssertionError("the oracle serves a user who should be served over arrays")

    monkeypatch.setattr(Subscriber, "publish", never)
    assert warm_up() > 100


def specializations() -> dict[str, list[object]]:
    """The argument types for which each loop is loaded or compiled."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("rankcast.")]
    loops = [loop for module in modules for loop in vars(module).values() if isinstance(loop, Dispatcher)]
    return {f"{loop.__module__}.{loop.__name__}": list(loop.signatures) for loop in loops if loop.signatures}


@pytest.mark.slow
def test_nothing_is_left_to_compile_in_full_windows_of_a_live_shard() -> None:
    warm_up()
    before = specializations()
    catalog = Catalog([decode_record({"kind": "subscription", "id": "m", "user": "mallory", "where": "x >= 0"})])
    shard = BatchShard(catalog, is_live=True)
    seqs = count(1)
    for policy in APART:
        catalog = catalog.copy()
        catalog.put(decode_record({"kind": "policy", "user": "mallory", **policy}))
        shard.update(catalog)
        for seq in islice(seqs, 100):
            event = Event(f"e{seq}", EPOCH + timedelta(seconds=seq), {"x": (seq * 31 % 97,)}, seq=seq)
            shard.publish([event], clocks=[event.time])
        after = specializations()
        new = {name: types for name, types in after.items() if types != before.get(name)}
        assert not new, f"compiled or loaded for {policy}"
    assert not shard.take_set_aside(0)


@pytest.mark.slow
@pytest.mark.parametrize("subscriptions", [1, 6, 200])
def test_nothing_is_left_to_compile(subscriptions: int) -> None:
    warm_up()
    before = specializations()
    for policy in POLICIES:
        records = [{"kind": "subscription", "id": "quiet", "user": "quiet", "where": "from = 'news'"}]
        records += [
            {"kind": "subscription", "id": f"m{n}", "user": "mallory", "where": f"x > -{n}"}
            for n in range(subscriptions)
        ]
        catalog = Catalog([decode_record(one) for one in records])
        shard = BatchShard(catalog)
        events = (
            Event(f"e{seq}", EPOCH + timedelta(seconds=seq), {"from": ("news",)} if seq % 3 else {"x": (1,)}, seq=seq)
            for seq in count(1)
        )
        shard.publish(list(islice(events, 3)))
        catalog = catalog.copy()
        catalog.put(decode_record({"kind": "policy", "user": "mallory", **policy}))
        shard.update(catalog)
        for size in (1, 1, 1, 1, 3, 1, 20):
            part = list(islice(events, size))
            shard.publish(part, clocks=[event.time for event in part])
        after = specializations()
        new = {name: types for name, types in after.items() if types != before.get(name)}
        assert not new, f"compiled or loaded for {policy}"
