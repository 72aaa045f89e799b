"""The charts of the monitor: activity, and vague subscriptions beside crisp ones."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from rankcast.plain import JsonObject
from rankcast.service.page.charts import ChartLine, draw, line_chart, over_time
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import group, words
from rankcast.store import ActivitySample
from rankcast.store.samples import VagueSample

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


_LINES = (
    ("vague", "as subscribed", "var(--rc-c0)"),
    ("at_thresholds", "crisp, at the thresholds", "var(--rc-c1)"),
    ("at_core", "crisp, only what fully deserves the word", "var(--rc-c2)"),
)


class VagueView:
    """The chart; `draw` refreshes it."""

    def __init__(self, view: View) -> None:
        self._view = view
        with group("section", "rc-card rc-column", aria_label="Vague against crisp over time"):
            words("h2", "The same wishes, vague and crisp")
            self._told = words("p", "", "rc-soft rc-small")
            self._chart = line_chart("Matches per event")

    async def draw(self, span: timedelta) -> None:
        """Draw what the store recorded over a range of time."""
        samples, every = await asyncio.to_thread(self._view.service.vague.log.over, span)
        draw(self._chart, vague_chart(samples, every, span, datetime.now(UTC)))
        if not samples:
            self._told.text = "Nothing was compared yet: it takes events, and a subscription with a vague word."
            return
        events = sum(one.events for one in samples)
        vague, crisp, core = (sum(getattr(one, name) for one in samples) for name, *_ in _LINES)
        self._told.text = (
            f"{events:,} events against up to {max(one.subscriptions for one in samples):,} vague subscriptions: "
            f"{vague:,} matches, {crisp:,} if values and words were crisp at the thresholds, {core:,} at the core."
        )


def vague_chart(samples: Sequence[VagueSample], every: timedelta, span: timedelta, now: datetime) -> JsonObject:
    """Matches per event, with gaps where nothing was compared."""
    ago = [(now - one.time).total_seconds() for one in samples]
    gaps = [(before, after) for before, after in pairwise(ago) if before - after > MISSED * every.total_seconds()]
    lines = [
        ChartLine(title, [(at, getattr(one, name) / one.events) for at, one in zip(ago, samples, strict=True)], colour)
        for name, title, colour in _LINES
    ]
    return over_time(lines, span.total_seconds(), "matches per event", gaps)
