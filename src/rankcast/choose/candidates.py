"""Candidates, and the interface that all delivery modes and filters share."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NamedTuple, Protocol

from rankcast.choose.state import DeclaredState, StateKeeper
from rankcast.language import decode_event, encode_event
from rankcast.model import Event
from rankcast.plain import State

_FORMS = 10_000
_LONG = 1_000
_forms: dict[int, tuple[Event, State]] = {}
"""Events with their plain data, by the `id()` of the event."""
_events: dict[int, tuple[State, Event]] = {}
"""The same pairs by the `id()` of the plain data."""


def _form(event: Event) -> State:
    """The event as plain data. It is cached, unless the event is large, because the state of a user is saved with every
    batch and holds mostly the same events."""
    known = _forms.get(id(event))
    if known is not None and known[0] is event:
        return known[1]
    form = encode_event(event)
    if len(event.attributes) <= 32 and not any(_is_long(value) for value in event.attributes.values()):
        if len(_forms) >= _FORMS:
            _forms.clear()
            _events.clear()
        _forms[id(event)] = event, form
        _events[id(form)] = form, event
    return form


def _event(form: State, seq: int) -> Event:
    """The event of plain data, from the cache if the state was saved in this process."""
    known = _events.get(id(form))
    if known is not None and known[0] is form and known[1].seq == seq:
        return known[1]
    return decode_event(form, seq=seq)


def _is_long(value: object) -> bool:
    if not isinstance(value, tuple):
        return False
    return len(value) > _LONG or any(isinstance(one, str) and len(one) > _LONG for one in value)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An event that matches a user, with its rank for that user.

    `matching` holds the ids of all subscriptions of the user that the event matches, `specific` those of the most
    specific ones. Both are in catalog order.
    """

    event: Event
    rank: float
    matching: tuple[str, ...] = ()
    specific: tuple[str, ...] = ()
    degree: float = 1.0

    @property
    def seq(self) -> int:
        """The event's position in publication order."""
        return self.event.seq

    def __deepcopy__(self, memo: dict[int, object]) -> "Candidate":
        return self  # it does not change

    def state(self) -> State:
        """The candidate as plain data, for `of_state`."""
        return {
            "event": _form(self.event),
            "seq": self.event.seq,
            "rank": self.rank,
            "matching": self.matching,
            "specific": self.specific,
            "degree": self.degree,
        }

    @classmethod
    def of_state(cls, state: State) -> "Candidate":
        """The candidate that `state` saved."""
        return cls(
            _event(state["event"], state["seq"]),
            state["rank"],
            tuple(state["matching"]),
            tuple(state["specific"]),
            state["degree"],
        )


class Moment(NamedTuple):
    """The publication of an event, whether or not it matches this user.

    `clock` is the time of the receiver's clock, or None where only event times count.
    """

    seq: int
    time: datetime
    clock: datetime | None = None


class StopCause(Enum):
    """Why a filter stopped a candidate."""

    SCORE = "score"
    """Its score was below the filter's threshold."""
    CHANCE = "chance"
    """It was not drawn."""
    BUDGET = "budget"
    """The filter's budget was used up."""


class Deferral(NamedTuple):
    """A better set that a calm window did not take: the members that only this set has, and how much better it is."""

    candidates: tuple[Candidate, ...]
    gain: float


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a delivery mode: from `candidates` it chose `chosen`, and `sent` those not sent before.

    A step explains why an event was delivered or not. The deliveries of a mode are exactly the `sent` of its steps.
    `note` explains in words what the candidates do not show, for example why a filter stopped one; `cause` gives
    programs the same reason. `deferral` is the better set that a calm window did not take, if there is one.
    """

    window: int
    forwarded: datetime
    candidates: tuple[Candidate, ...]
    chosen: tuple[Candidate, ...]
    sent: tuple[Candidate, ...]
    note: str = ""
    cause: StopCause | None = None
    deferral: Deferral | None = None

    def defers(self, seq: int) -> bool:
        """Whether the event at `seq` is in a better set that a calm window did not take."""
        return self.deferral is not None and any(one.seq == seq for one in self.deferral.candidates)


class DeliveryMode(StateKeeper, Protocol):
    """One user's delivery, fed with every published event in order of `seq`."""

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Take the next published event; `candidate` is None if it does not match this user."""

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period that holds candidates; None if no candidate waits for the clock."""

    def advance(self, clock: datetime) -> list[Step]:
        """Move the receiver's clock on without an event; return the steps of the periods that this ends."""

    def close(self) -> list[Step]:
        """End the stream; return the steps of an unfinished period."""


class DrivenByEvents(DeclaredState):
    """The part of a delivery mode that only events change: no clock ends anything, and nothing is ever pending."""

    due = None

    def advance(self, clock: datetime) -> list[Step]:
        """Do nothing."""
        return []

    def close(self) -> list[Step]:
        """Do nothing."""
        return []
