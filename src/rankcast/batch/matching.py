"""Matching a batch: the seam between the matcher and the arrays."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.match import Matcher
from rankcast.model import Catalog, Event, Subscription

__all__ = ["BatchMatcher", "Integers", "MakeMatcher", "Matches", "OneByOne", "Reals"]

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


MakeMatcher: TypeAlias = Callable[[Sequence[Subscription], Catalog], BatchMatcher]


class OneByOne:
    """A batch matcher that asks a plain matcher for one event after the other."""

    def __init__(self, subscriptions: Sequence[Subscription], matcher: Matcher) -> None:
        self._place = {subscription.id: place for place, subscription in enumerate(subscriptions)}
        self._matcher = matcher

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events."""
        found = [
            (place, self._place[subscription.id], degree)
            for place, event in enumerate(events)
            for subscription, degree in self._matcher.match(event)
        ]
        places = np.array([pair[:2] for pair in found], np.int64).reshape(-1, 2)
        return Matches(places[:, 0], places[:, 1], np.array([degree for *_, degree in found], np.float64))
