"""Matching many events at once: the seam between a matcher and arrays."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.model import Event

__all__ = ["BatchMatcher", "Integers", "Matches", "Reals"]

Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]


class Matches(NamedTuple):
    """Pairs of an event (its place in the batch) and a subscription (its place among those given), with the degree;
    by event, then by subscription."""

    event: Integers
    subscription: Integers
    degree: Reals


class BatchMatcher(Protocol):
    """Finds all matches of a batch of events with a set of subscriptions that does not change."""

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events."""
