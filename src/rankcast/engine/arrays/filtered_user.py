"""One user with a novelty filter, served over arrays."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from rankcast.engine.arrays.deliveries import DeliveryCollector
from rankcast.engine.arrays.filters import ArrayFilter, FilterBatch, Keys, event_keys
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.stream import EventBatch, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.arrays.user import ArrayUser
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.model import Catalog, FilterKind, Policy, Scoring
from rankcast.plain import State

__all__ = ["EventKeys", "FilteredUser"]


class EventKeys:
    """The keys of the events of the current batch, computed on first use."""

    def __init__(self) -> None:
        self._stream: EventBatch | None = None
        self._keys: Keys = np.empty(0, np.uint64)

    def of(self, stream: EventBatch) -> Keys:
        """The keys of the events of a batch."""
        if stream is not self._stream:
            places, events = stream.known()
            self._stream, self._keys = stream, np.zeros(len(stream.seq), np.uint64)
            self._keys[places] = event_keys(event.id for event in events)
        return self._keys


class FilteredUser(ArrayUser):
    """An `ArrayUser` with a filter in front of the delivery mode."""

    def __init__(
        self,
        user: str,
        catalog: Catalog,
        oracle: Subscriber,
        table: EventTable,
        made: ArrayFilter,
        keys: EventKeys,
    ) -> None:
        policy: Policy = catalog.policy_of(user)
        assert policy.filter is not None
        super().__init__(user, catalog, oracle, table)
        self._filter = made
        self._decays = policy.filter.scoring is Scoring.DECAY
        self._draws = policy.filter.novelty in (FilterKind.SAMPLING, FilterKind.RANDOM)
        self._before = made
        self._keys = keys
        self._stream: EventBatch | None = None
        self._place = {subscription.id: place for place, subscription in enumerate(self._subscriptions)}
        self._starts: Integers = np.zeros(1, np.int64)
        self._matching: Integers = np.empty(0, np.int64)
        self._specific_starts: Integers = np.zeros(1, np.int64)
        self._specific: Integers = np.empty(0, np.int64)

    def publish(
        self, stream: EventBatch, at: Integers, places: Integers, degrees: Reals | None, gathering: DeliveryCollector
    ) -> None:
        """As in `ArrayUser`."""
        self._stream = stream
        super().publish(stream, at, places, degrees, gathering)

    def copy(self, matches: bool = True) -> Any:
        """As in `ArrayUser`; a filter changes its arrays in place if something matches."""
        self._before = deepcopy(self._filter) if matches else self._filter
        return super().copy(matches), self._before

    def go_back(self, before: Any) -> None:
        """Return to the state at the time of `copy`."""
        mode, self._filter = before
        super().go_back(mode)

    def state(self) -> State:
        """The state in the format of the reference engine: the filter's state around the mode's."""
        state = super().state()
        return {**state, "mode": {"filter": self._filter.state(), "mode": state["mode"]}}

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or the reference engine."""
        self._filter.restore(state["mode"]["filter"])
        super().restore({**state, "mode": state["mode"]["mode"]})

    def _found(self, at: Integers, places: Integers, degrees: Reals | None) -> UserMatches:
        found = super()._found(at, places, degrees)
        if not len(found.at):
            return found
        assert self._stream is not None
        self._note_patterns()
        keys = self._keys.of(self._stream)[found.at] if self._draws else np.empty(0, np.uint64)
        batch = FilterBatch(found.pattern, self._starts, self._matching, found.rank, keys)
        if self._decays:
            batch = batch._replace(
                specific_starts=self._specific_starts,
                specific=self._specific,
                seqs=self._stream.seq[found.at],
                times=self._stream.times(found.at),
            )
        passed = self._filter.admit(batch)
        return UserMatches(
            found.at[passed], found.pattern[passed], found.rank[passed], found.grid[passed], found.degree[passed]
        )

    def _one_by_one(
        self, stream: EventBatch, at: Integers, places: Integers, degrees: Reals | None, gathering: DeliveryCollector
    ) -> None:
        # The filter has seen the batch but the mode could not serve it: the reference engine starts before the batch.
        self._filter = deepcopy(self._before)
        super()._one_by_one(stream, at, places, degrees, gathering)

    def _note_patterns(self) -> None:
        new = self._patterns.all[len(self._starts) - 1 :]
        if not new:
            return
        self._starts, self._matching = self._noted(self._starts, self._matching, [one.matching for one in new])
        if self._decays:
            specific = [one.specific for one in new]
            self._specific_starts, self._specific = self._noted(self._specific_starts, self._specific, specific)

    def _noted(self, starts: Integers, places: Integers, sets: Sequence[tuple[str, ...]]) -> tuple[Integers, Integers]:
        """Append sets of subscriptions."""
        own = [[self._place[name] for name in names if name in self._place] for names in sets]
        ends = len(places) + np.cumsum([len(each) for each in own])
        return np.concatenate((starts, ends)), np.append(
            places, np.array([one for each in own for one in each], np.int64)
        )
