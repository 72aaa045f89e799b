"""A filter around a delivery mode; neither knows the other."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from rankcast.choose.candidates import Candidate, DeliveryMode, Moment, Step, StopCause

__all__ = ["EventFilter", "Filtered", "Verdict"]


class Verdict(NamedTuple):
    """Whether a candidate passes a filter, and why: in words, and for one that was stopped also for programs."""

    passed: bool
    reason: str
    cause: StopCause | None = None


class EventFilter(Protocol):
    """One user's filter, fed with every event that matches the user, in order of `seq`."""

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate. One that passes counts as delivered."""

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions but these."""

    def state(self) -> dict[str, Any]:
        """Plain data that `restore` takes back."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken, in a fresh instance of the same settings."""


class Filtered:
    """A delivery mode that sees only the candidates which pass a filter (semantics: Novelty).

    An event that the filter stops is for the mode one that does not match: its moment still counts as published,
    but not as matched. Every candidate gets a step of the filter's own, with the reason as its `note`: nothing is
    sent in it, and its `chosen` is the candidate if it passed and empty if it was stopped.
    """

    def __init__(self, event_filter: EventFilter, mode: DeliveryMode) -> None:
        self.filter = event_filter
        self._mode = mode

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Take the next published event; `candidate` is None if it does not match this user."""
        if candidate is None:
            return self._mode.publish(moment, None)
        verdict = self.filter.admit(candidate)
        chosen = (candidate,) if verdict.passed else ()
        step = Step(moment.seq, moment.time, (candidate,), chosen, (), verdict.reason, verdict.cause)
        return [step, *self._mode.publish(moment, candidate if verdict.passed else None)]

    @property
    def inner(self) -> DeliveryMode:
        """The mode behind the filter."""
        return self._mode

    @property
    def due(self) -> datetime | None:
        """As the mode's."""
        return self._mode.due

    def advance(self, clock: datetime) -> list[Step]:
        """What the mode owes when the clock comes to a time."""
        return self._mode.advance(clock)

    def close(self) -> list[Step]:
        """End of the stream: what the mode still owes; a filter owes nothing."""
        return self._mode.close()

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions but these."""
        self.filter.keep(ids)

    def state(self) -> dict[str, Any]:
        """Plain data of both, which `restore` takes back."""
        return {"filter": self.filter.state(), "mode": self._mode.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken, in a fresh instance of the same policy."""
        self.filter.restore(state["filter"])
        self._mode.restore(state["mode"])
