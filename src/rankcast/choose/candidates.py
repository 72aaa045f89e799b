"""Candidates, and the seam that all delivery modes and filters share."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple, Protocol

from rankcast.language import decode_event, encode_event
from rankcast.model import Event

__all__ = ["Candidate", "DeliveryMode", "Moment", "Step", "StopCause"]


_FORMS = 10_000
_LONG = 1_000
_forms: dict[int, tuple[Event, dict[str, Any]]] = {}
"""Events and their forms, by the number of the event; what `_event` looks up by that of the form."""
_events: dict[int, tuple[dict[str, Any], Event]] = {}


def _form(event: Event) -> dict[str, Any]:
    """The event as plain data. A user's state is taken with every batch, and the events in it stay the same: so it is remembered,
    unless the event is large."""
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


def _event(form: dict[str, Any], seq: int) -> Event:
    """The event of a form, which is there already if the state was taken in this process."""
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

    `matching` are all of the user's subscriptions that it matches, `specific` the most specific of them, both in
    the order of the catalog.
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

    def __deepcopy__(self, memo: dict[int, Any]) -> "Candidate":
        return self  # it does not change

    def state(self) -> dict[str, Any]:
        """Plain data from which `of_state` makes the candidate again."""
        return {
            "event": _form(self.event),
            "seq": self.event.seq,
            "rank": self.rank,
            "matching": self.matching,
            "specific": self.specific,
            "degree": self.degree,
        }

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> "Candidate":
        """The candidate that `state` described."""
        return cls(
            _event(state["event"], state["seq"]),
            state["rank"],
            tuple(state["matching"]),
            tuple(state["specific"]),
            state["degree"],
        )


class Moment(NamedTuple):
    """The publication of an event, whether or not it matches this user; `clock` is what the receiver's clock said, if that
    counts."""

    seq: int
    time: datetime
    clock: datetime | None = None


class StopCause(Enum):
    """What stopped a candidate at a filter."""

    SCORE = "score"
    """Its score was below the filter's."""
    CHANCE = "chance"
    """It was not drawn."""
    BUDGET = "budget"
    """As many as the filter lets through had passed already."""


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a delivery mode: out of `candidates` it chose `chosen`, and `sent` those not sent before.

    A step explains a delivery or its absence; the deliveries of a mode are just the `sent` of its steps. `note` says
    in words what the candidates do not show, such as why a filter stopped one; `cause` says the latter for programs.
    """

    window: int
    forwarded: datetime
    candidates: tuple[Candidate, ...]
    chosen: tuple[Candidate, ...]
    sent: tuple[Candidate, ...]
    note: str = ""
    cause: StopCause | None = None


class DeliveryMode(Protocol):
    """One user's delivery, fed with every published event in order of `seq`."""

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Take the next published event; `candidate` is None if it does not match this user."""

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period in which something waits; None if nothing does."""

    def advance(self, clock: datetime) -> list[Step]:
        """Let the receiver's clock come to a time, though nothing was published: what periods that it ends still owed."""

    def close(self) -> list[Step]:
        """End of the stream: what an unfinished period still owes."""

    def state(self) -> dict[str, Any]:
        """Plain data (numbers, strings, lists, dicts) that `restore` takes back after a restart."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken, in a fresh instance of the same policy."""
