"""The delivery modes over arrays: their interface, and plain publish/subscribe."""

from typing import Protocol, assert_never

import numpy as np

from rankcast.engine.arrays.entries import ENTRY, Entries, grown
from rankcast.engine.arrays.stream import NOTHING, EventBatch, SentRows, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Mode, ObjectiveName, Policy, ScorePart, Select
from rankcast.model.declared import given
from rankcast.plain import State

__all__ = ["ArrayAllEvents", "ArrayMode", "array_mode", "suits"]


class ArrayMode(Protocol):
    """One user's delivery mode, which serves one batch after another.

    `entries` is everything that the mode holds; during `publish` it includes what the batch adds. `SentRows.entry`
    refers to it, and `settle` then drops what is no longer needed. The state is that of the reference mode, except
    that candidates are given and taken as entries.
    """

    entries: Entries

    def publish(self, stream: EventBatch, found: UserMatches) -> SentRows | None:
        """Serve a batch.

        Returns None if the positions of the entries are out of order, which only the reference engine can serve.
        """

    @property
    def due(self) -> int | None:
        """When the clock ends a period with events to deliver, in microseconds; None if there is none."""

    def advance(self, clock: int) -> SentRows:
        """Advance the receiver's clock to a time, in microseconds; returns what the periods that end still owed."""

    def close(self) -> SentRows:
        """End the stream; returns what an unfinished period still owes."""

    def settle(self) -> None:
        """Drop the entries that the next batch cannot need."""

    def state(self, candidates: list[State]) -> State:
        """The state of the reference mode; `candidates` are the states of the entries."""

    def restore(self, state: State, entries: Entries) -> None:
        """Continue from a saved `state` of the reference mode."""

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """The candidates in a state of the reference mode, and their positions."""


_HONOURED = frozenset(
    (
        "user",
        "mode",
        "k",
        "length",
        "sigma",
        "calm",
        "aggregate",
        "specific",
        "levels",
        "norm",
        "ties",
        "select",
        "objective",
        "distance",
        "weights",
        "attributes",
        "score",
        "authority",
        "half_life",
        "filter",
        "origin",
        "novelty",
        "decay",
    )
)
"""The policy fields that arrays support; the reference engine serves a policy with any other field."""

_MODES = frozenset((Mode.ALL, Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY))
"""The delivery modes that arrays support; the reference engine serves users of any other mode."""


def suits(policy: Policy) -> bool:
    """Whether arrays can serve the mode of a policy.

    They support the fields in `_HONOURED`, and no criterion besides preference. With diversity, they support no exact
    search, and of the objective `max_min` only the greedy choice in windows that are not calm.
    """
    if not given(policy) <= _HONOURED or policy.mode not in _MODES:
        return False
    by_preference = all(part is ScorePart.PREFERENCE for part, weight in policy.score.items() if weight > 0)
    selects = policy.mode in (Mode.PERIODIC, Mode.SLIDING) and policy.sigma < 1
    if policy.objective is ObjectiveName.MAX_MIN and policy.mode is not Mode.ALL and policy.sigma < 1:
        return by_preference and selects and policy.select is Select.GREEDY and not policy.calm
    return by_preference and (not selects or policy.select in (Select.GREEDY, Select.IMPROVED))


def array_mode(policy: Policy, table: EventTable) -> ArrayMode:
    """A new mode for one user."""
    from rankcast.engine.arrays.history import ArrayHistory
    from rankcast.engine.arrays.periodic import ArrayPeriodic
    from rankcast.engine.arrays.sliding import ArraySliding

    match policy.mode:
        case Mode.ALL:
            return ArrayAllEvents()
        case Mode.PERIODIC:
            return ArrayPeriodic(policy, table)
        case Mode.SLIDING:
            return ArraySliding(policy, table)
        case Mode.HISTORY:
            return ArrayHistory(policy, table)
        case other:
            assert_never(other)


class ArrayAllEvents:
    """Sends each matching event when it is published."""

    def __init__(self) -> None:
        self.entries: Entries = np.zeros(0, ENTRY)

    def publish(self, stream: EventBatch, found: UserMatches) -> SentRows:
        """Send all matching events."""
        self.entries = grown(self.entries, stream, found, stream.seq)
        return stream.sent_at(found.at, np.arange(len(found.at)))

    due = None

    def advance(self, clock: int) -> SentRows:
        """Send nothing, because nothing happens without an event."""
        return NOTHING

    def close(self) -> SentRows:
        """Send nothing, because nothing is owed."""
        return NOTHING

    def settle(self) -> None:
        """Drop all entries."""
        self.entries = self.entries[:0]

    def state(self, candidates: list[State]) -> State:
        """An empty state."""
        return {}

    def restore(self, state: State, entries: Entries) -> None:
        """Do nothing."""

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """No candidates."""
        return [], []
