"""The matches of a shard: all users together, or one by one if one of them fails, without what is not admitted."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

import numpy as np

from rankcast.engine.arrays.matching import (
    Integers,
    MakeMatcher,
    Matches,
    Matching,
    MatchingBySize,
    RebuiltMatching,
)
from rankcast.engine.arrays.roster import Roster, RosterChanges
from rankcast.engine.arrays.served_users import ServedUsers
from rankcast.engine.isolation import MatcherByUser, reason
from rankcast.engine.published import NamedMatches
from rankcast.model import Catalog, Event, SetAside, Subscription
from rankcast.overlay import Admission


class ShardMatches:
    """Matches events with the subscriptions of a roster. `make` builds the batch matcher, or is one."""

    def __init__(
        self, roster: Roster, served: ServedUsers, make: MakeMatcher | Matching | None, note: Callable[[SetAside], None]
    ) -> None:
        self._roster = roster
        self._served = served
        self._make_matcher = make
        self._note = note
        self.matching: Matching = self._make_matching()
        self._is_matching = True
        """Whether the shared matcher could be built; if not, each user is matched separately."""
        self._by_user: MatcherByUser | None = None
        self._admission: Admission

    def of(self, events: Sequence[Event]) -> tuple[Matches, dict[int, dict[str, str]]]:
        """The matches of a batch; and by event index, the users for whom matching failed, with the reason."""
        if self._is_matching:
            with suppress(Exception):  # caused by one event, or by one user's subscription
                return self.matching.match_batch(events), {}
        if self._by_user is None:
            self._by_user = MatcherByUser(self._served.catalog)
        served = [user for user in self._served.users if self._served.is_served(user)]
        found, failures = list[tuple[int, int, float]](), dict[int, dict[str, str]]()
        for place, event in enumerate(events):
            matched, failed = self._by_user.match(event, served)
            found += [(place, self._roster.slot_of[one.id], degree) for one, degree in matched]
            if failed:
                failures[place] = failed
        places, slots = np.array([row[:2] for row in found], np.int64).reshape(-1, 2).T.copy()
        return Matches(places, slots, np.array([row[2] for row in found], np.float64)), failures

    def update(self, changes: RosterChanges, catalog: Catalog) -> None:
        """Follow the catalog."""
        self._by_user = None
        self._admission = Admission(catalog)
        if not self._is_matching:
            self.matching = self._make_matching()
        try:
            self.matching.update(self._roster, changes, catalog)
            self._is_matching = True
        except Exception:  # caused by one user's subscription
            self._is_matching = False

    def _make_matching(self) -> Matching:
        make = self._make_matcher
        return MatchingBySize() if make is None else RebuiltMatching(make) if callable(make) else make

    def by_slot(self, matches: NamedMatches) -> Matches:
        """Named matches by the slots of this shard's subscriptions."""
        slots = np.array([self._roster.slot_of[name] for name in matches.names], np.int64)[matches.subscription]
        pair = (matches.event << 32) | slots
        if (np.diff(pair) > 0).all():  # as they come if the catalogs have the same order
            return Matches(matches.event, slots, matches.degree)
        order = np.argsort(pair)
        return Matches(matches.event[order], slots[order], matches.degree[order])

    def admit(
        self, events: Sequence[Event], matches: Matches, admitted: Mapping[str, Collection[str]] | None
    ) -> Matches:
        """The matches without those that the publishers' advertisements rule out."""
        keep = np.ones(len(matches.event), bool)
        bounds = np.searchsorted(matches.event, np.arange(len(events) + 1)).tolist()
        for place, event in enumerate(events):
            if event.advertisement is None:
                continue
            own = slice(bounds[place], bounds[place + 1])
            found = [self._roster.subscriptions[number] for number in matches.subscription[own].tolist()]
            if admitted is None:
                pairs = list(zip(found, matches.degree[own].tolist(), strict=True))
                chosen: Collection[str] = self._chosen(event, pairs)
            else:
                chosen = admitted.get(event.id, ())
            keep[own] = [subscription.id in chosen for subscription in found]
        return Matches(matches.event[keep], matches.subscription[keep], matches.degree[keep])

    def _chosen(self, event: Event, pairs: Sequence[tuple[Subscription, float]]) -> Collection[str]:
        try:
            return {each.id for each, _ in self._admission.admitted(event, pairs)}
        except Exception as error:
            self._note(SetAside(None, event.id, event.seq, 0, reason(error)))
            return ()

    def of_user(self, matches: Matches, places: Integers) -> dict[int, list[tuple[Subscription, float]]]:
        """The matches at some places, as subscriptions with degrees by event."""
        matched: dict[int, list[tuple[Subscription, float]]] = {}
        columns = (matches.event[places], matches.subscription[places], matches.degree[places])
        for event, slot, degree in zip(*(column.tolist() for column in columns), strict=True):
            matched.setdefault(event, []).append((self._roster.subscriptions[slot], degree))
        return matched
