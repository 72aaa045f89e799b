"""Loading the compiled loops in advance."""

from datetime import timedelta
from itertools import count, cycle, islice, product

from rankcast.engine.arrays import BatchShard
from rankcast.language import decode_record
from rankcast.model import EPOCH, Catalog, Event

__all__ = ["warm_up"]

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
"""So many subscriptions of one user do not fit into the crowd, so that the loops for one user are loaded too."""
_BATCHES = (1, 1, 2, 15, 15, 15)
"""The first events come alone: arrays of one element have a layout of their own, for which loops are compiled apart."""


def warm_up() -> int:
    """Serve a small stream over arrays to users with every kind of policy, to load or compile the loops.

    Returns the number of deliveries.

    Takes a second or two, and a minute on first use on a machine. Otherwise all users served after the first one with
    such a policy would wait for it.
    """
    records = [
        {"kind": "subscription", "id": f"{user}-{n}", "user": f"u{user}", "where": where.format(n=n), "score": 0.5}
        for user in range(2 * len(_POLICIES))
        for n, where in enumerate(_WHERE if user % 2 else islice(cycle(_WHERE), _MANY))
    ]
    records += [
        {"kind": "policy", "user": f"u{2 * number + half}", **policy}
        for number, policy in enumerate(_POLICIES)
        for half in (0, 1)
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
        delivered += len(shard.publish(part, clocks=[event.time for event in part]))
    again = BatchShard(catalog)
    again.restore(shard.state())
    last = next(events)
    return delivered + len(again.publish([last])) + len(again.advance(last.time)) + len(again.close())
