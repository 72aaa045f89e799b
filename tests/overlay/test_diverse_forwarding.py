"""Why brokers forward everything under diversity: what is hidden changes the recipients of others.

See semantics: Producer-side top-k. Under a diverse ranking, a subscription's place is the sum of its distances to all
that match. Hide one from the publisher's broker, even one that is never chosen itself, and the sums of all others
change.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from rankcast.overlay import lot

SUBSCRIBERS = 250


def workload(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Intervals of 30 to 60 % of the space, as in the paper, and their distances: 1 less the share in common."""
    drawn = []
    for number in range(count):
        length = 0.3 + 0.3 * lot("length", str(number))
        low = lot("place", str(number)) * (1 - length)
        drawn.append((low, low + length))
    low, high = np.array(drawn).T
    shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    either = np.maximum(high[:, None], high) - np.minimum(low[:, None], low)
    return np.array(drawn), 1 - np.maximum(shared, 0) / either


def best(sums: NDArray[np.float64], k: int) -> set[int]:
    return set(np.argsort(-np.round(sums, 9), kind="stable")[:k].tolist())


@pytest.mark.parametrize(
    ("k", "chosen_share", "needed_share"), [(1, 0.148, 0.596), (3, 0.272, 0.908), (10, 0.584, 1.0)]
)
def test_most_subscriptions_count(k: int, chosen_share: float, needed_share: float) -> None:
    intervals, apart = workload(SUBSCRIBERS)
    ends = np.unique(intervals)
    chosen, counts = set[int](), set[int]()
    for at in (ends[1:] + ends[:-1]) / 2:  # between two ends nothing changes, so these are all publications
        matching = np.flatnonzero((intervals[:, 0] <= at) & (at <= intervals[:, 1]))
        distances = apart[np.ix_(matching, matching)]
        sums = distances.sum(axis=0)
        winners = best(sums, k)
        chosen |= {int(matching[one]) for one in winners}
        for hidden in range(len(matching)):
            if int(matching[hidden]) in counts or hidden in winners:
                continue
            without = sums - distances[hidden]
            without[hidden] = -1.0
            if best(without, k) != winners:
                counts.add(int(matching[hidden]))
    # What is chosen somewhere must be known, and so must what changes the choice among others.
    assert round(len(chosen) / SUBSCRIBERS, 3) == chosen_share
    assert round(len(chosen | counts) / SUBSCRIBERS, 3) == needed_share
