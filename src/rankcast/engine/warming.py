"""Loading the compiled loops in advance."""

import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from itertools import count, cycle, islice, product

from rankcast.choose import Candidate, DivRank, Greedy, Improved, MaxMin, Objective, Optimizer, compiled, select
from rankcast.engine.arrays import BatchShard
from rankcast.engine.event_texts.reading import scanned
from rankcast.language import decode_record, dumps, encode_event
from rankcast.model import EPOCH, Catalog, Event

_POLICIES: tuple[dict[str, object], ...] = (
    {"mode": "all"},
    {"mode": "all", "filter": {"novelty": "threshold", "rate": 0.5, "period": 5}},
    {
        "mode": "all",
        "filter": {"novelty": "threshold", "rate": 0.5, "period": 5, "scoring": "interval", "update": "eager"},
    },
    {"mode": "all", "filter": {"novelty": "threshold", "rate": 0.5, "period": 5, "update": "paced"}},
    {"mode": "all", "filter": {"novelty": "sampling", "rate": 0.5, "period": 5}},
    {"mode": "all", "filter": {"novelty": "random", "rate": 0.5}},
    *(
        {"mode": mode, "k": 3, "length": length, "sigma": sigma, "select": select}
        for mode, length, sigma, select in product(
            ("sliding", "periodic", "history"), (12, "20m"), (1.0, 0.5), ("greedy", "improved")
        )
        if not (mode == "history" and length == "20m") and not (sigma == 1.0 and select == "improved")
    ),
    {"mode": "sliding", "k": 3, "length": 12, "sigma": 0.5, "calm": 0.1},
    {"mode": "sliding", "k": 3, "length": 9, "sigma": 0.5, "select": "exact"},
)
_WHERE = (
    "x > {n}",
    "x < {n} and g = 'a'",
    "g = 'b' or x = {n}",
    "not (x = {n})",
    "g startswith 'a' and (x > {n} or x < 2)",
    "x between 1 and {n}9",
)
"""With these there are more than `INDEX_FROM` subscriptions, so that the index is loaded too."""
_MANY = 70
"""So many subscriptions of one user do not fit into the bits of a mask."""
_WINDOW, _CHOSEN = 200, 50
_BATCHES = (1, 1, 2, 15, 15, 15)
"""The first events come alone: arrays of one element have a layout of their own, for which loops are compiled apart."""


def warm_up() -> int:
    """Serve a small stream over arrays to users with every kind of policy, to load or compile the loops.

    Returns the number of deliveries.

    Takes a second or two, and one or two minutes on first use on a machine. Otherwise all users served after the first
    one with such a policy would wait for it.
    """
    compile_beside()
    _choose()
    return _serve(list(islice(cycle(_WHERE), _MANY)), _WHERE)


def compile_beside() -> None:
    """Compile the loops that choose in a process of its own, if they are not compiled yet.

    Meanwhile this process compiles those that match, or does something else. Whoever needs a loop that is being
    compiled waits for it. The process ends by itself, and what it compiled serves every later one.
    """
    if are_compiled() is False:
        quiet = subprocess.DEVNULL
        subprocess.Popen([sys.executable, "-m", __name__], stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603  this module


def are_compiled() -> bool | None:
    """Whether the cache on disk has the compiled loops, as far as the last one tells; None if there is no cache.

    Loads numba.
    """
    from rankcast.compiling import is_compiled
    from rankcast.engine.arrays.kernels.crowds.periods import end_all

    return is_compiled(end_all)


def _choose() -> None:
    """Choose from a window as the reference engine does, which serves users whose policy does not suit arrays."""
    candidates = [
        Candidate(Event(f"e{seq}", EPOCH, {"x": (seq % 7,), "g": ("ab"[seq % 2],)}, seq=seq), seq % 5 / 5)
        for seq in range(1, _WINDOW + 1)
    ]
    objectives: tuple[Objective, ...] = (DivRank(sigma=0.5), MaxMin(sigma=0.5))
    optimizers: tuple[Optimizer, ...] = (Greedy(), Improved())
    for objective, optimizer in product(objectives, optimizers):
        select(candidates, _CHOSEN, objective, optimizer)
    held, fresh = candidates[:_CHOSEN], candidates[_CHOSEN:]
    compiled.filled_up(held[1:], fresh, _CHOSEN, DivRank(sigma=0.5))
    compiled.replaced(held, fresh[0], DivRank(sigma=0.5))
    compiled.distances(candidates, DivRank(sigma=0.5))


def _serve(*subscribed: Sequence[str]) -> int:
    """Serve users with every kind of policy, one for each of these lists of subscriptions.

    Lists with few subscriptions load no index.
    """
    records: list[dict[str, object]] = []
    for number, (policy, wheres) in enumerate(product(_POLICIES, subscribed)):
        user = f"u{number}"
        records.append({"kind": "policy", "user": user, **policy})
        records += [
            {"kind": "subscription", "id": f"{number}-{n}", "user": user, "where": where.format(n=n), "score": 0.5}
            for n, where in enumerate(wheres)
        ]
    catalog = Catalog([decode_record(record) for record in records])
    shard = BatchShard(catalog)
    events = (
        Event(f"e{seq}", EPOCH + timedelta(minutes=seq), {"x": (seq % 7,), "g": ("ab"[seq % 2],)}, seq=seq)
        for seq in count(1)
    )
    delivered = 0
    for size in _BATCHES:
        part = list(islice(events, size))
        if size > 2:  # as from a file
            read = scanned([dumps(encode_event(event)).encode() for event in part])
            part = [event.at(given.seq) for event, given in zip(read, part, strict=True) if event is not None]
        delivered += len(shard.publish(part, clocks=[event.time for event in part]))
    again = BatchShard(catalog)
    again.restore(shard.state())
    last = next(events)
    return delivered + len(again.publish([last])) + len(again.advance(last.time)) + len(again.close())


if __name__ == "__main__":
    _serve(_WHERE[:1], _WHERE[:1])
