"""Matching a batch in a shard with changing subscriptions: the interface between the matcher and the arrays."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from rankcast.engine.arrays.roster import Roster, RosterChanges
from rankcast.engine.choice import INDEX_FROM
from rankcast.matching import Matcher, OracleMatcher
from rankcast.matching.batch import BatchMatcher, Integers, Matches, Reals
from rankcast.model import Catalog, Event, Subscription

if TYPE_CHECKING:
    from rankcast.engine.index import LiveIndex
    from rankcast.engine.index.compiled import CompiledIndex

__all__ = [
    "BatchMatcher",
    "IndexMatching",
    "Integers",
    "MakeMatcher",
    "Matches",
    "MatchesGiven",
    "Matching",
    "MatchingBySize",
    "OneByOneMatcher",
    "Reals",
    "RebuiltMatching",
]

MakeMatcher: TypeAlias = Callable[[Sequence[Subscription], Catalog], BatchMatcher]


class Matching(Protocol):
    """Finds the matches between events and the subscriptions of a roster, by slot."""

    def update(self, roster: Roster, changes: RosterChanges, catalog: Catalog) -> None:
        """Apply the changes of the roster."""

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events, by event and slot."""


class RebuiltMatching:
    """Builds a new matcher for each catalog; an update costs as much as the first build."""

    def __init__(self, make: MakeMatcher) -> None:
        self._make = make
        self._slots = np.empty(0, np.int64)
        self._matcher: BatchMatcher | None = None

    def update(self, roster: Roster, changes: RosterChanges, catalog: Catalog) -> None:
        """Build a matcher for the current subscriptions."""
        self._slots = roster.alive()
        self._matcher = self._make([roster.subscriptions[slot] for slot in self._slots.tolist()], catalog)

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events."""
        assert self._matcher is not None, "update comes first"
        found = self._matcher.match_batch(events)
        return Matches(found.event, self._slots[found.subscription], found.degree)


class IndexMatching:
    """Finds the matches through the compiled index. An update compiles only the changes, at the next match.

    About 20 µs per subscription at first, and per change. With a `compiled` index of these subscriptions, of which some
    may have been removed or replaced by other objects since, only others are compiled.
    """

    def __init__(self, compiled: "CompiledIndex | None" = None, subscriptions: Sequence[Subscription] = ()) -> None:
        self._index: LiveIndex | None = None
        self._saved = None if compiled is None else (compiled, subscriptions)

    def update(self, roster: Roster, changes: RosterChanges, catalog: Catalog) -> None:
        """Apply the changes."""
        from rankcast.engine.index import LiveIndex, Senses

        senses = Senses.of_catalog(catalog)
        if self._index is None:
            alive, by_slot, slot_of = roster.alive(), roster.subscriptions, roster.slot_of
            if self._saved is None:
                some = [by_slot[slot] for slot in alive.tolist()]
                self._index = LiveIndex.create(None, some, senses, number_of=lambda one: roster.slot_of[one.id])
                return
            (compiled, saved), self._saved = self._saved, None
            slots = [slot_of.get(one.id, -1) for one in saved]
            numbers = np.array(
                [slot if slot >= 0 and by_slot[slot] is one else -1 for slot, one in zip(slots, saved, strict=True)],
                np.int64,
            )
            self._index = LiveIndex.over(compiled, senses, lambda one: roster.slot_of[one.id], saved, numbers)
            is_new = np.zeros(len(by_slot), np.bool_)
            is_new[alive], is_new[numbers[numbers >= 0]] = True, False
            self._index.change([by_slot[slot] for slot in np.flatnonzero(is_new).tolist()])
            return
        self._index.senses = senses
        if changes.renumbered is not None:
            self._index.renumber(changes.renumbered)
        self._index.change([roster.subscriptions[slot] for slot in changes.put], changes.removed)

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events."""
        assert self._index is not None, "update comes first"
        return self._index.match_numbers(events)


class MatchingBySize:
    """Uses plain evaluation for few subscriptions and the index for many."""

    def __init__(self) -> None:
        self._matching: Matching = RebuiltMatching(_plain)

    def update(self, roster: Roster, changes: RosterChanges, catalog: Catalog) -> None:
        """Apply the changes, and switch to the index once there are many subscriptions."""
        if len(roster.slot_of) >= INDEX_FROM and isinstance(self._matching, RebuiltMatching):
            self._matching = IndexMatching()
        self._matching.update(roster, changes, catalog)

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events."""
        return self._matching.match_batch(events)


class MatchesGiven:
    """The matching of a shard that only gets matches that others found (`BatchShard.deliver`)."""

    def update(self, roster: Roster, changes: RosterChanges, catalog: Catalog) -> None:
        """Nothing to do."""

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """There is no index here."""
        raise AssertionError("this shard does not match")


class OneByOneMatcher:
    """A batch matcher that calls a plain matcher for each event."""

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
        event, place = np.array([pair[:2] for pair in found], np.int64).reshape(-1, 2).T.copy()
        return Matches(event, place, np.array([degree for *_, degree in found], np.float64))


def _plain(subscriptions: Sequence[Subscription], catalog: Catalog) -> BatchMatcher:
    return OneByOneMatcher(subscriptions, OracleMatcher.of(catalog, subscriptions))
