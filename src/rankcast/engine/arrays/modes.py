"""The delivery modes over arrays: the seam, and plain publish/subscribe."""

from typing import Protocol, assert_never

import numpy as np

from rankcast.engine.arrays.entries import ENTRY, Entries, grown
from rankcast.engine.arrays.stream import NOTHING, EventBatch, SentRows, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Mode, Policy, ScorePart, Select
from rankcast.model.declared import given
from rankcast.plain import State

__all__ = ["ArrayAllEvents", "ArrayMode", "array_mode", "suits"]


class ArrayMode(Protocol):
    """One user's delivery, fed with one batch after another.

    `entries` is all that the mode holds, during `publish` with what the batch adds; `SentRows.entry` points into it, and
    `settle` then drops what is not needed any more. The state is that of the oracle's mode, but for the candidates, which
    are given and taken as entries.
    """

    entries: Entries

    def publish(self, stream: EventBatch, found: UserMatches) -> SentRows | None:
        """Serve a batch; None if the positions of the entries are not in order, which only the oracle can serve."""

    @property
    def due(self) -> int | None:
        """When the clock ends a period in which something waits, in microseconds; None if nothing does."""

    def advance(self, clock: int) -> SentRows:
        """Let the receiver's clock come to a time, in microseconds: what periods that it ends still owed."""

    def close(self) -> SentRows:
        """End of the stream: what an unfinished period still owes."""

    def settle(self) -> None:
        """Drop the entries that the next batch cannot need."""

    def state(self, candidates: list[State]) -> State:
        """The state of the oracle's mode; `candidates` are the states of the entries."""

    def restore(self, state: State, entries: Entries) -> None:
        """Go on where the oracle's `state` was taken."""

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """The candidates that a state of the oracle holds, and their positions."""


_HONOURED = frozenset(
    (
        "user",
        "mode",
        "k",
        "length",
        "sigma",
        "aggregate",
        "levels",
        "norm",
        "ties",
        "select",
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
"""The fields of a policy that arrays honour; a policy that gives another is served by the reference engine."""

_MODES = frozenset((Mode.ALL, Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY))
"""The delivery modes that arrays honour; users of any other are served by the reference engine."""


def suits(policy: Policy) -> bool:
    """Whether arrays can serve the mode of a policy: no field that they do not know, no criterion besides preference, no
    exact search where a choice is to be diverse."""
    if not given(policy) <= _HONOURED or policy.mode not in _MODES:
        return False
    by_preference = all(part is ScorePart.PREFERENCE for part, weight in policy.score.items() if weight > 0)
    selects = policy.mode in (Mode.PERIODIC, Mode.SLIDING) and policy.sigma < 1
    return by_preference and (not selects or policy.select in (Select.GREEDY, Select.IMPROVED))


def array_mode(policy: Policy, table: EventTable) -> ArrayMode:
    """A fresh mode for one user."""
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
        """Send all that matches."""
        self.entries = grown(self.entries, stream, found, stream.seq)
        return stream.sent_at(found.at, np.arange(len(found.at)))

    due = None

    def advance(self, clock: int) -> SentRows:
        """Nothing happens without an event."""
        return NOTHING

    def close(self) -> SentRows:
        """Nothing is owed."""
        return NOTHING

    def settle(self) -> None:
        """Keep nothing."""
        self.entries = self.entries[:0]

    def state(self, candidates: list[State]) -> State:
        """Nothing to remember."""
        return {}

    def restore(self, state: State, entries: Entries) -> None:
        """Nothing to take back."""

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """Nothing."""
        return [], []
