"""A filter around a delivery mode; neither knows the other."""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar, NamedTuple, Protocol

from rankcast.choose.candidates import Candidate, DeliveryMode, Moment, Step, StopCause
from rankcast.choose.state import DeclaredState, StateKeeper


class Verdict(NamedTuple):
    """Whether a candidate passes a filter, the reason in words, and, if it was stopped, the cause for programs."""

    passed: bool
    reason: str
    cause: StopCause | None = None


class EventFilter(StateKeeper, Protocol):
    """One user's filter. It receives every event that matches the user, in order of `seq`."""

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate. A candidate that passes counts as delivered."""

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these."""


class Filtered(DeclaredState):
    """A delivery mode that receives only the candidates that pass a filter (semantics: Novelty).

    To the mode, a stopped event is one that does not match: it counts as published but not as matched. The filter
    adds a step of its own for every candidate. The step's `note` is the reason, its `sent` is empty, and its `chosen`
    is the candidate if it passed, else empty.
    """

    saved: ClassVar = {"filter": "filter", "mode": "inner"}

    def __init__(self, event_filter: EventFilter, mode: DeliveryMode) -> None:
        self.filter = event_filter
        self.inner = mode
        """The mode behind the filter."""

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Take the next published event; `candidate` is None if it does not match this user."""
        if candidate is None:
            return self.inner.publish(moment, None)
        verdict = self.filter.admit(candidate)
        chosen = (candidate,) if verdict.passed else ()
        step = Step(moment.seq, moment.time, (candidate,), chosen, (), verdict.reason, verdict.cause)
        return [step, *self.inner.publish(moment, candidate if verdict.passed else None)]

    @property
    def due(self) -> datetime | None:
        """The due time of the wrapped mode."""
        return self.inner.due

    def advance(self, clock: datetime) -> list[Step]:
        """Move the clock of the wrapped mode on."""
        return self.inner.advance(clock)

    def close(self) -> list[Step]:
        """End the stream of the wrapped mode; the filter itself has nothing pending."""
        return self.inner.close()

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these."""
        self.filter.keep(ids)
