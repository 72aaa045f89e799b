"""One user served over arrays."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from rankcast.choose import Step
from rankcast.engine.arrays.deliveries import DeliveryCollector, UserDeliveries
from rankcast.engine.arrays.entries import candidates_of, entries_of
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.modes import array_mode
from rankcast.engine.arrays.patterns import Pattern, UserPatterns
from rankcast.engine.arrays.stream import EventBatch, SentRows, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.model import EPOCH, Catalog, Delivery, Event, Subscription
from rankcast.plain import State

__all__ = ["ArrayUser", "deliveries_of"]

_NO_EVENT = Event("none", EPOCH, {})


class ArrayUser:
    """Does for a batch what the reference `Subscriber` does for an event.

    The reference engine ranks each set of subscriptions once, takes over when the catalog changes, and serves batches
    with times out of order. Otherwise the user's state is kept in arrays.
    """

    def __init__(self, user: str, catalog: Catalog, oracle: Subscriber, table: EventTable) -> None:
        self.user = user
        self.oracle = oracle
        self._table = table
        self._subscriptions = catalog.subscriptions_of(user)
        self._patterns = UserPatterns(len(self._subscriptions), self._pattern)
        self._mode = array_mode(catalog.policy_of(user), table)

    @property
    def oldest_row(self) -> int:
        """The first row of the table that the user holds; the next row if there is none."""
        rows = self._mode.entries["row"]
        return int(rows.min()) if len(rows) else self._table.next_row

    def publish(
        self, stream: EventBatch, at: Integers, places: Integers, degrees: Reals | None, gathering: DeliveryCollector
    ) -> None:
        """Serve a batch and collect the deliveries.

        `places` are the user's subscriptions that the events `at` match, all to degree 1 if `degrees` is None.
        """
        found = self._found(at, places, degrees)
        sent = self._mode.publish(stream, found)
        if sent is None:
            self._one_by_one(stream, at, places, degrees, gathering)
            return
        self._gather(sent, gathering)

    @property
    def due(self) -> int | None:
        """When the clock ends a period with events to deliver, in microseconds; None if there is none."""
        return self._mode.due

    def advance(self, clock: int, gathering: DeliveryCollector) -> None:
        """Collect the deliveries of the periods that end by the clock, in microseconds."""
        self._gather(self._mode.advance(clock), gathering)

    def close(self, gathering: DeliveryCollector) -> None:
        """Collect the deliveries of an unfinished period."""
        self._gather(self._mode.close(), gathering)

    def copy(self, matches: bool = True) -> Any:
        """The state for `go_back`, before a batch in which something or nothing matches the user.

        Modes create new arrays, so the old ones stay unchanged.
        """
        return copy(self._mode)

    def go_back(self, before: Any) -> None:
        """Return to the state at the time of `copy`."""
        self._mode = before

    def _gather(self, sent: SentRows, gathering: DeliveryCollector) -> None:
        part = self._part(sent)
        self._mode.settle()
        gathering.add(self.user, part)

    def state(self) -> State:
        """The state in the format of the reference engine."""
        candidates = candidates_of(self._mode.entries, self._table, self._patterns)
        return {"mode": self._mode.state([candidate.state() for candidate in candidates]), "score": {}}

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or the reference engine."""
        self._mode.restore(state["mode"], entries_of(*self._mode.kept(state["mode"]), self._table, self._patterns))

    def _pattern(self, places: Sequence[int]) -> Pattern:
        matched = [(self._subscriptions[place], 1.0) for place in places]
        candidate = self.oracle.candidate(_NO_EVENT, matched)
        return Pattern(candidate.matching, candidate.specific, candidate.rank)

    def _found(self, at: Integers, places: Integers, degrees: Reals | None) -> UserMatches:
        if not len(at):
            return UserMatches(at, at, np.empty(0), at, np.empty(0))
        patterns = self._patterns
        starts, number = patterns.number(at, places)
        degree = patterns.degrees(number, places, starts, degrees)
        rank, grid = patterns.rank(number)
        return UserMatches(at[starts], number, rank, grid, degree)

    def _part(self, sent: SentRows) -> UserDeliveries:
        entries = self._mode.entries
        return UserDeliveries(
            sent.trigger,
            entries["row"][sent.entry],
            entries["seq"][sent.entry],
            entries["rank"][sent.entry],
            entries["pattern"][sent.entry],
            sent.forwarded,
            sent.window,
            self._patterns.specific,
        )

    def _one_by_one(
        self, stream: EventBatch, at: Integers, places: Integers, degrees: Reals | None, gathering: DeliveryCollector
    ) -> None:
        self.oracle.restore(self.state())
        known = [1.0] * len(at) if degrees is None else degrees.tolist()
        matched: dict[int, list[tuple[Subscription, float]]] = {}
        for event, place, degree in zip(at.tolist(), places.tolist(), known, strict=True):
            matched.setdefault(event, []).append((self._subscriptions[place], degree))
        triggers, deliveries = [], []
        for place, event in enumerate(stream.events):
            for step in self.oracle.publish(stream.moment(place), event, matched.get(place, ())):
                made = deliveries_of(self.user, step)
                deliveries += made
                triggers += [place] * len(made)
        self.restore(self.oracle.state())
        gathering.add_records(self.user, np.array(triggers, np.int64), deliveries)


def deliveries_of(user: str, step: Step) -> list[Delivery]:
    """The deliveries of a step of the reference engine."""
    return [
        Delivery(
            user,
            candidate.event.id,
            candidate.seq,
            candidate.rank,
            candidate.specific,
            candidate.event.time,
            step.forwarded,
            step.window,
        )
        for candidate in step.sent
    ]
