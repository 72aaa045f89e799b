"""The interface for matching many events at once, with arrays."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.model import Event

Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]


class Matches(NamedTuple):
    """Matching pairs of an event and a subscription, with the degree.

    The event is its index in the batch, the subscription its index among those given. Sorted by event, then by
    subscription.
    """

    event: Integers
    subscription: Integers
    degree: Reals


class BatchMatcher(Protocol):
    """Finds all matches between a batch of events and a fixed set of subscriptions."""

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events."""


def merged(one: Matches, other: Matches) -> Matches:
    """Two disjoint sets of matches merged in order; fast if one of them is small.

    >>> arrays = (np.array([0, 2]), np.array([5, 1]), np.ones(2)), (np.array([0]), np.array([7]), np.ones(1))
    >>> [column.tolist() for column in merged(*(Matches(*columns) for columns in arrays))[:2]]
    [[0, 0, 2], [5, 7, 1]]
    """
    if len(one.event) < len(other.event):
        one, other = other, one
    if not len(other.event):
        return one
    mine, theirs = ((part.event << 32) | part.subscription for part in (one, other))
    at = np.searchsorted(mine, theirs)
    return Matches(*(np.insert(ours, at, added) for ours, added in zip(one, other, strict=True)))


def numbered(values: Integers) -> tuple[Integers, Integers]:
    """The distinct values in order, and the index of each value among them: `np.unique`, without sorting if possible.

    >>> [column.tolist() for column in numbered(np.array([7, 5, 7]))]
    [[5, 7], [1, 0, 1]]
    """
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low > 8 * len(values):
        return np.unique(values, return_inverse=True)
    is_used = np.zeros(high - low + 1, np.bool_)
    is_used[values - low] = True
    return np.flatnonzero(is_used) + low, (np.cumsum(is_used) - 1)[values - low]
