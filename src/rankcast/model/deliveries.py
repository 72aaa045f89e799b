"""Outputs: matches, deliveries, rejected input, and events or users that could not be served."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Match:
    """A subscription that an event matches, and the degree of the match (1 if everything is crisp)."""

    event: str
    subscription: str
    user: str
    degree: float = 1.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event sent to a user.

    `subscriptions` are the most specific matching ones. `window` is the number of the period, from 1, or the position
    of the event that triggered the delivery.

    `published` and `forwarded` are times of the stream, so a replay reproduces them. `served` (a pipeline started on
    the event), `matched` (the event was chosen) and `received` (the delivery was written for the user) are clock
    times. Only deliveries of a pipeline have them, and comparisons of deliveries ignore them.
    """

    user: str
    event: str
    seq: int
    rank: float
    subscriptions: tuple[str, ...]
    published: datetime
    forwarded: datetime
    window: int
    served: datetime | None = field(default=None, compare=False)
    matched: datetime | None = field(default=None, compare=False)
    received: datetime | None = field(default=None, compare=False)

    @property
    def freshness(self) -> timedelta:
        """How long the event waited before it was delivered: forwarded - published."""
        return self.forwarded - self.published

    @property
    def order(self) -> tuple[int, str, int]:
        """The sort key of an output: window, user, seq."""
        return self.window, self.user, self.seq


@dataclass(frozen=True, slots=True)
class Reject:
    """Input that could not be used: its place, the reason and the raw text. `line` counts from 1."""

    file: str
    line: int
    reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """An event or a user that could not be served while everything else was.

    Attributes
    ----------
    user
        The user for whom serving failed; None if the event could not be matched for anybody.
    event
        The event that was not served. None if the user is not served at all from `seq` on, until one of their
        records changes.
    seq
        The position of the event, or of the first event that the user misses.
    version
        The version of the catalog at that moment; 0 where there are no versions.
    error
        The reason, in one line.
    """

    user: str | None
    event: str | None
    seq: int
    version: int
    error: str
