"""The input of the filters over arrays, and their interface to a shard."""

from collections.abc import Iterable
from copy import copy
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.chance import event_key
from rankcast.plain import State

Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]
Keys: TypeAlias = NDArray[np.uint64]

_NO_INTEGERS = np.empty(0, np.int64)


class FilterBatch(NamedTuple):
    """The next events that match one user, in order.

    `patterns` numbers the set of subscriptions that each event matches. The subscriptions of set p are
    ``places[starts[p]:starts[p + 1]]``, as indexes in the user's list; the most specific ones are given likewise.
    `ranks` are needed only for scoring by score, `keys` (`event_keys`) only for random decisions. `seqs`, `times` (in
    microseconds since the epoch) and the most specific subscriptions are needed for decaying novelty.
    """

    patterns: Integers
    starts: Integers
    places: Integers
    ranks: Reals = np.empty(0)
    keys: Keys = np.empty(0, np.uint64)
    specific_starts: Integers = _NO_INTEGERS
    specific: Integers = _NO_INTEGERS
    seqs: Integers = _NO_INTEGERS
    times: Integers = _NO_INTEGERS


class ArrayFilter(Protocol):
    """One user's filter. It receives every event that matches the user."""

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""

    def state(self) -> State:
        """The state in the format of the corresponding reference filter."""

    def restore(self, state: State) -> None:
        """Continue from a saved state of this filter or of the corresponding reference filter."""


def copied(admits: ArrayFilter) -> ArrayFilter:
    """A copy of a filter, which then goes on by itself. Filters hold arrays, settings, and possibly given scores."""
    made = copy(admits)
    for name, value in vars(admits).items():
        if isinstance(value, np.ndarray):
            setattr(made, name, value.copy())
    if (given := getattr(admits, "_given", None)) is not None:
        setattr(made, "_given", copied(given))  # noqa: B010
    return made


def event_keys(event_ids: Iterable[str]) -> Keys:
    """The keys of events for random decisions; the same for all users, so computed once per batch."""
    return np.fromiter(map(event_key, event_ids), np.uint64)


def draws(keys: Keys, user: int) -> Reals:
    """The numbers that `chance` draws for a user (a `user_key`) and each of the events."""
    mixed = keys ^ np.uint64(user)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53
