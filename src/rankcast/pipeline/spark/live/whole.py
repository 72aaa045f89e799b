"""The whole catalog as one matcher: which subscriptions each event matches, whoever's they are."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

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


class AllSubscriptions(Protocol):
    """All subscriptions of a version of the catalog, each in a slot."""

    def move(self, version: int) -> Iterable[int] | None:
        """Go on with a version, later or earlier. Returns the slots with another subscription; None for all."""

    @property
    def shared(self) -> Catalog:
        """At least the records that concern everybody."""

    def everything(self) -> Catalog:
        """The whole catalog."""

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events by slot. Raises if one event or one subscription fails."""

    def slot(self, name: str) -> int:
        """The slot of a subscription."""

    def subscription(self, slot: int) -> Subscription:
        """The subscription in a slot."""

    def names(self, slots: Integers) -> list[str]:
        """The ids of the subscriptions in some slots, which are in order."""

    def users(self, slots: Integers) -> list[str]:
        """The users of the subscriptions in some slots, which are in order."""


class WholeCatalog:
    """Matches events against all subscriptions of a version of the catalog, and limits advertised ones to k.

    Parameters
    ----------
    subscriptions
        The subscriptions of the catalog, version by version.
    group_of
        A number for each user, by which `groups` divides matches.

    Versions may be asked for in any order.
    """

    def __init__(self, subscriptions: AllSubscriptions, group_of: Callable[[str], int]) -> None:
        self.version: int | None = None
        self._subscriptions = subscriptions
        self._group_of = group_of
        self._admission: Admission | None = None
        self._by_user: MatcherByUser | None = None
        self._groups: Integers = np.empty(0, np.int64)
        """The group of each slot; -1 if it was not needed yet."""

    @property
    def shared(self) -> Catalog:
        """At least the records that concern everybody."""
        return self._subscriptions.shared

    def move(self, version: int) -> None:
        """Go on with a version of the catalog, later or earlier."""
        if version == self.version:
            return
        self.version = None  # so that nothing half changed stays
        changed = self._subscriptions.move(version)
        self._admission = self._by_user = None
        if changed is None:
            self._groups = np.empty(0, np.int64)
        else:
            known = np.fromiter(changed, np.int64)
            self._groups[known[known < len(self._groups)]] = -1
        self.version = version

    def match(self, events: Sequence[Event]) -> tuple[Matches, Failures]:
        """The matches of the events by slot, and the users for whom an event could not be matched."""
        try:
            return self._subscriptions.match_batch(events), {}
        except Exception:  # caused by one event, or by one user's subscription
            if len(events) == 1:
                return self._user_by_user(events[0])
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
        if self._admission is None:
            self._admission = Admission(self._subscriptions.everything())
        keep = np.ones(len(matches.event), bool)
        for place in advertised:
            own = slice(*np.searchsorted(matches.event, [place, place + 1]).tolist())
            slots, degrees = matches.subscription[own].tolist(), matches.degree[own].tolist()
            pairs = [
                (self._subscriptions.subscription(slot), degree) for slot, degree in zip(slots, degrees, strict=True)
            ]
            try:
                chosen = {one.id for one, _ in self._admission.admitted(events[place], pairs)}
            except Exception as error:
                # One event, or one record of the catalog, is at fault.
                why = f"its recipients cannot be chosen: {type(error).__name__}: {error}"
                failed.append(SetAside(None, events[place].id, events[place].seq, self.version or 0, why))
                chosen = set()
            keep[own] = [one.id in chosen for one, _ in pairs]
        return Matches(matches.event[keep], matches.subscription[keep], matches.degree[keep]), failed

    def names(self, slots: Integers) -> list[str]:
        """The ids of the subscriptions in some slots, which are in order."""
        return self._subscriptions.names(slots)

    def groups(self, slots: Integers) -> Integers:
        """The number of the user of each slot."""
        if not len(slots):
            return slots
        room = int(slots.max()) + 1 - len(self._groups)
        if room > 0:
            self._groups = np.concatenate((self._groups, np.full(room, -1, np.int64)))
        unknown = np.unique(slots[self._groups[slots] < 0])
        self._groups[unknown] = [self._group_of(user) for user in self._subscriptions.users(unknown)]
        return self._groups[slots]

    def _user_by_user(self, event: Event) -> tuple[Matches, Failures]:
        everything = self._subscriptions.everything()
        if self._by_user is None:
            self._by_user = MatcherByUser(everything)
        matched, failed = self._by_user.match(event, everything.users())
        found = sorted((self._subscriptions.slot(one.id), degree) for one, degree in matched)
        slots = np.array([slot for slot, _ in found], np.int64)
        degrees = np.array([degree for _, degree in found], np.float64)
        return Matches(np.zeros(len(slots), np.int64), slots, degrees), {0: failed} if failed else {}


class SubscriptionObjects:
    """All subscriptions as objects. A change costs about 0.2 µs per subscription, and 20 µs per changed one.

    Few events and subscriptions are matched by plain evaluation, before the kernels would have loaded.
    """

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._roster = Roster(lambda user: True)
        self._matching: Matching = RebuiltMatching(_plain)
        self._is_matching = False
        """Whether the shared matcher could be built; if not, each user is matched separately."""
        self._pairs = 0
        self._catalog = Catalog()

    def move(self, version: int) -> Iterable[int] | None:
        """Go on with a version, later or earlier."""
        self._catalog = catalog = self._catalogs.at(version)
        changes = self._roster.update(catalog)
        if not self._is_matching:
            self._matching = self._new_matching()
        try:
            self._matching.update(self._roster, changes, catalog)
            self._is_matching = True
        except Exception:  # caused by one user's subscription
            self._is_matching = False
        return None if changes.renumbered is not None else changes.put

    @property
    def shared(self) -> Catalog:
        """The whole catalog."""
        return self._catalog

    def everything(self) -> Catalog:
        """The whole catalog."""
        return self._catalog

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events by slot."""
        self._pairs += len(events) * len(self._roster.slot_of)
        if isinstance(self._matching, RebuiltMatching) and self._pairs >= FEW_PAIRS and self._is_matching:
            self._use_index()
        if not self._is_matching:
            raise ValueError("a subscription cannot be matched")
        return self._matching.match_batch(events)

    def slot(self, name: str) -> int:
        """The slot of a subscription."""
        return self._roster.slot_of[name]

    def subscription(self, slot: int) -> Subscription:
        """The subscription in a slot."""
        return self._roster.subscriptions[slot]

    def names(self, slots: Integers) -> list[str]:
        """The ids of the subscriptions in some slots."""
        return [self._roster.subscriptions[slot].id for slot in slots.tolist()]

    def users(self, slots: Integers) -> list[str]:
        """The users of the subscriptions in some slots."""
        return [self._roster.subscriptions[slot].user for slot in slots.tolist()]

    def _new_matching(self) -> Matching:
        is_large = self._pairs >= FEW_PAIRS or len(self._roster.slot_of) >= MANY_SUBSCRIPTIONS
        return IndexMatching() if is_large else RebuiltMatching(_plain)

    def _use_index(self) -> None:
        index = IndexMatching()
        try:
            index.update(self._roster, self._roster.update(self._catalog), self._catalog)
            self._matching = index
        except Exception:  # caused by one user's subscription
            self._is_matching = False


def _plain(subscriptions: Sequence[Subscription], catalog: Catalog) -> OneByOneMatcher:
    return OneByOneMatcher(subscriptions, OracleMatcher.of(catalog, subscriptions))
