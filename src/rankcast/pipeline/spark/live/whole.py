"""The whole catalog as one matcher: which subscriptions each event matches, whoever's they are."""

from collections.abc import Callable, Sequence

import numpy as np

from rankcast.engine.arrays.matching import IndexMatching, Matching, OneByOneMatcher, RebuiltMatching
from rankcast.engine.arrays.roster import Roster
from rankcast.engine.choice import FEW_PAIRS, MANY_SUBSCRIPTIONS
from rankcast.engine.isolation import MatcherByUser
from rankcast.matching import OracleMatcher
from rankcast.matching.batch import Integers, Matches, merged
from rankcast.model import Catalog, Event, SetAside, Subscription
from rankcast.overlay import Admission
from rankcast.pipeline.spark.live.catalogs import Catalogs
from rankcast.pipeline.spark.live.matched import Failures

__all__ = ["WholeCatalog"]


class WholeCatalog:
    """Matches events against all subscriptions of a version of the catalog, and limits advertised ones to k.

    Parameters
    ----------
    catalogs
        The versions of the whole catalog.
    group_of
        A number for each user, by which `groups` divides matches.

    Versions may be asked for in any order. A change costs about 0.2 µs per subscription of the catalog, and 20 µs per
    changed one. Few events and subscriptions are matched by plain evaluation, before the kernels would have loaded.
    """

    def __init__(self, catalogs: Catalogs, group_of: Callable[[str], int]) -> None:
        self.version: int | None = None
        self.catalogs = catalogs
        self._group_of = group_of
        self._roster = Roster(lambda user: True)
        self._matching: Matching = RebuiltMatching(_plain)
        self._is_matching = False
        """Whether the shared matcher could be built; if not, each user is matched separately."""
        self._pairs = 0
        self._known: dict[str, int] = {}
        self.catalog = Catalog()
        self._admission: Admission
        self._by_user: MatcherByUser | None = None
        self._groups: Integers = np.empty(0, np.int64)

    def move(self, version: int) -> None:
        """Go on with a version of the catalog, later or earlier."""
        if version == self.version:
            return
        self.catalog = catalog = self.catalogs.at(version)
        changes = self._roster.update(catalog)
        if not self._is_matching:
            self._matching = self._new_matching()
        try:
            self._matching.update(self._roster, changes, catalog)
            self._is_matching = True
        except Exception:  # caused by one user's subscription
            self._is_matching = False
        self._admission, self._by_user = Admission(catalog), None
        slots = range(len(self._roster.subscriptions)) if changes.renumbered is not None else changes.put
        groups = np.zeros(len(self._roster.subscriptions), np.int64)
        groups[: len(self._groups)] = self._groups[: len(groups)]
        groups[slots] = [self._group(self._roster.subscriptions[slot].user) for slot in slots]
        self._groups = groups
        self.version = version

    def match(self, events: Sequence[Event]) -> tuple[Matches, Failures]:
        """The matches of the events by slot, and the users for whom an event could not be matched."""
        if not self._is_matching:
            return self._one_by_one(events)
        self._pairs += len(events) * len(self._roster.slot_of)
        if isinstance(self._matching, RebuiltMatching) and self._pairs >= FEW_PAIRS:
            self._use_index()
        try:
            return self._matching.match_batch(events), {}
        except Exception:  # caused by one event, or by one user's subscription
            if len(events) == 1:
                return self._one_by_one(events)
        half = len(events) // 2
        (one, failed), (other, also) = self.match(events[:half]), self.match(events[half:])
        shifted = {half + place: users for place, users in also.items()}
        return merged(one, other._replace(event=other.event + half)), failed | shifted

    def admit(self, events: Sequence[Event], matches: Matches) -> tuple[Matches, list[SetAside]]:
        """The matches without those that advertisements rule out, and the events whose recipients cannot be chosen."""
        advertised = [place for place, event in enumerate(events) if event.advertisement is not None]
        failed: list[SetAside] = []
        if not advertised:
            return matches, failed
        keep = np.ones(len(matches.event), bool)
        for place in advertised:
            own = slice(*np.searchsorted(matches.event, [place, place + 1]).tolist())
            slots, degrees = matches.subscription[own].tolist(), matches.degree[own].tolist()
            pairs = [(self.subscription(slot), degree) for slot, degree in zip(slots, degrees, strict=True)]
            try:
                chosen = {one.id for one, _ in self._admission.admitted(events[place], pairs)}
            except Exception as error:
                # One event, or one record of the catalog, is at fault.
                why = f"its recipients cannot be chosen: {type(error).__name__}: {error}"
                failed.append(SetAside(None, events[place].id, events[place].seq, self.version or 0, why))
                chosen = set()
            keep[own] = [one.id in chosen for one, _ in pairs]
        return Matches(matches.event[keep], matches.subscription[keep], matches.degree[keep]), failed

    def subscription(self, slot: int) -> Subscription:
        """The subscription in a slot."""
        return self._roster.subscriptions[slot]

    def groups(self, slots: Integers) -> Integers:
        """The number of the user of each slot."""
        return self._groups[slots]

    def _group(self, user: str) -> int:
        known = self._known.get(user)
        if known is None:
            known = self._known[user] = self._group_of(user)
        return known

    def _new_matching(self) -> Matching:
        is_large = self._pairs >= FEW_PAIRS or len(self._roster.slot_of) >= MANY_SUBSCRIPTIONS
        return IndexMatching() if is_large else RebuiltMatching(_plain)

    def _use_index(self) -> None:
        index = IndexMatching()
        try:
            index.update(self._roster, self._roster.update(self.catalog), self.catalog)
            self._matching = index
        except Exception:  # caused by one user's subscription
            self._is_matching = False

    def _one_by_one(self, events: Sequence[Event]) -> tuple[Matches, Failures]:
        if self._by_user is None:
            self._by_user = MatcherByUser(self.catalog)
        users = self.catalog.users()
        found, failures = list[tuple[int, int, float]](), Failures()
        for place, event in enumerate(events):
            matched, failed = self._by_user.match(event, users)
            found += [(place, self._roster.slot_of[one.id], degree) for one, degree in matched]
            if failed:
                failures[place] = failed
        columns = np.array([row[:2] for row in found], np.int64).reshape(-1, 2)
        return Matches(columns[:, 0], columns[:, 1], np.array([row[2] for row in found], np.float64)), failures


def _plain(subscriptions: Sequence[Subscription], catalog: Catalog) -> OneByOneMatcher:
    return OneByOneMatcher(subscriptions, OracleMatcher.of(catalog, subscriptions))
