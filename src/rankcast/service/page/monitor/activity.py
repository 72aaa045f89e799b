"""The activity of a service over a range of time: rates between the samples in the store, with the gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from rankcast.store import ActivitySample

RANGES = {
    "10 min": timedelta(minutes=10),
    "1 hour": timedelta(hours=1),
    "6 hours": timedelta(hours=6),
    "1 day": timedelta(days=1),
    "1 week": timedelta(days=7),
    "30 days": timedelta(days=30),
}
"""The ranges of time to choose from, by their names."""

MISSED = 2.5
"""Two samples that lie further apart than this many times the usual distance have a gap between them."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Rates per second up to `ago` seconds before now, and the events that waited, and for how long."""

    ago: float
    published: float
    delivered: float
    waiting: int
    waited: float


@dataclass(frozen=True, slots=True)
class Activity:
    """The rates, oldest first, and the gaps (from, to) in seconds ago, in which nothing was recorded."""

    rates: tuple[Rate, ...]
    gaps: tuple[tuple[float, float], ...]


def activity_of(samples: Sequence[ActivitySample], every: timedelta, now: datetime) -> Activity:
    """The activity between the samples, which are `every` apart where none is missing."""
    rates, gaps = [], []
    for before, after in pairwise(samples):
        seconds = (after.time - before.time).total_seconds()
        if seconds <= 0:
            continue
        if seconds > MISSED * every.total_seconds():
            gaps.append(((now - before.time).total_seconds(), (now - after.time).total_seconds()))
            continue
        rates.append(
            Rate(
                ago=(now - after.time).total_seconds(),
                published=(after.published - before.published) / seconds,
                delivered=(after.delivered - before.delivered) / seconds,
                waiting=after.lag,
                waited=after.waited,
            )
        )
    return Activity(tuple(rates), tuple(gaps))
