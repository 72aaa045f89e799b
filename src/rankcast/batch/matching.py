"""Matching a batch: the seam between the matcher and the arrays."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from rankcast.match import Matcher
from rankcast.match.batch import BatchMatcher, Integers, Matches, Reals
from rankcast.model import Catalog, Event, Subscription

__all__ = ["BatchMatcher", "Integers", "MakeMatcher", "Matches", "OneByOne", "Reals"]

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
