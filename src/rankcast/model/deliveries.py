"""What comes out: matches, deliveries, rejects of what came in, and what could not be served."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

__all__ = ["Delivery", "Match", "Reject", "SetAside"]


@dataclass(frozen=True, slots=True)
class Match:
    """A subscription that an event matches, and to what degree (1 if all is crisp)."""

    event: str
    subscription: str
    user: str
    degree: float = 1.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event sent to a user. `subscriptions` are the most specific matching ones; `window` is the period, from
    1, or the position of the event that triggered the delivery.

    `published` and `forwarded` are instants of the stream: a replay has the same. `served` (taken up by a pipeline), `matched`
    (chosen) and `received` (written for the user) are instants of a clock; only what a pipeline delivered has them, and they
    do not count when deliveries are compared."""

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
        """How long the event waited: forwarded - published."""
        return self.forwarded - self.published

    @property
    def order(self) -> tuple[int, str, int]:
        """The sort key of an output: window, user, seq."""
        return self.window, self.user, self.seq


@dataclass(frozen=True, slots=True)
class Reject:
    """Input that could not be used: where it stood, why, and the raw text. `line` counts from 1."""

    file: str
    line: int
    reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """What could not be served, while everything else was.

    Attributes
    ----------
    user
        Whose service failed; None if the event could not be matched for anybody.
    event
        The event that was not served; None if the user is not served at all from `seq` on, until a record of theirs changes.
    seq
        The position of the event, or of the first that is missing.
    version
        The version of the catalog at that moment; 0 where there are no versions.
    error
        Why, in one line.
    """

    user: str | None
    event: str | None
    seq: int
    version: int
    error: str
