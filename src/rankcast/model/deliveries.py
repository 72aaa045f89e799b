"""What comes out: matches, deliveries, and rejects of what came in."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

__all__ = ["Delivery", "Match", "Reject"]


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
