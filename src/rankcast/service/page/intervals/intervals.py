"""The interval panel: drag the ends of a publication's value, and see who matches crisply and approximately."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from rankcast.errors import RankcastError
from rankcast.language import label
from rankcast.language.event_words import cut
from rankcast.model import Attitude, Norm, predicates_of
from rankcast.plain import JsonObject
from rankcast.service.page.charts import ChartLine, draw, line_chart, over
from rankcast.service.page.controls import choice, whose_subscriptions
from rankcast.service.page.drawings import number_text, wear
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import (
    demo_link,
    emptied,
    empty,
    group,
    more_line,
    row,
    set_props,
    slide,
    table,
    words,
)
from rankcast.service.studies.interval_matches import (
    CRISP,
    SUBSCRIBED,
    WIDTHS,
    IntervalMatch,
    IntervalSetup,
    IntervalStudy,
    NumberRange,
    ranges,
    study_interval,
)
from rankcast.wording import counted

RECENT = 300
_SHOWN = 40
_STEPS = 200
_CASES = (CRISP, SUBSCRIBED, *(one.value for one in Attitude))


async def build(view: View) -> None:
    """Build the panel for the number attributes of recent events."""
    wear()
    known = await asyncio.to_thread(_read, view)
    if not known:
        with empty("o_straighten", "No numbers yet", "Publish events with numbers, or open a demo world."):
            demo_link()
        return
    _IntervalPage(view, {one.attribute: one for one in known})


def _read(view: View) -> list[NumberRange]:
    """The number attributes of recent events; those that the user's subscriptions ask for come first."""
    mine = view.service.catalog().subscriptions_of(view.user)
    asked = Counter(predicate.attribute for one in mine for predicate in predicates_of(one.where))
    return sorted(ranges(view.service.recent_events(RECENT)), key=lambda one: -asked[one.attribute])


class _IntervalPage:
    def __init__(self, view: View, known: dict[str, NumberRange]) -> None:
        self._view = view
        self._known = known
        self._all = False
        self._latest = 0
        self._setup = self._start(next(iter(known)))
        with group("section", "rc-card rc-controls", aria_label="The publication"):
            choice("Attribute", list(known), self._setup.attribute, self._take, is_titled=True)
            norms = {one: one.title for one in Norm}
            choice("Degrees combine by", norms, self._setup.norm, lambda to: self._change(norm=to), is_titled=True)
            whose_subscriptions(view, self._turned)
            with group("div", "rc-column rc-tight"):
                self._told = words("label", "", "rc-small")
                self._range_box = group("div")
        with group("section", "rc-card rc-column", aria_label="Matches against the width"):
            self._title = words("p", "", "rc-strong")
            set_props(self._title, aria_live="polite")
            self._drawn = line_chart("Number of matches against the width of the interval")
        with group("section", "rc-card rc-column", aria_label="Who matches"):
            words("h2", "Who matches")
            self._table = group("div")
            with self._table:
                words("p", "Trying the subscriptions…", "rc-soft rc-small")
        self._draw_range()
        self._changed()

    def _start(self, attribute: str) -> IntervalSetup:
        """The middle third of the values."""
        known = self._known[attribute]
        third = (known.high - known.low) / 3
        low, high = (float(f"{end:.3g}") for end in (known.low + third, known.high - third))
        return IntervalSetup(attribute, *((low, high) if low < high else (known.low, known.high)))

    def _draw_range(self) -> None:
        known, setup = self._known[self._setup.attribute], self._setup
        self._ends = [setup.low, setup.high]
        with emptied(self._range_box):
            step = (known.high - known.low) / _STEPS
            for place, (label, end) in enumerate((("One end", setup.low), ("The other end", setup.high))):
                moved = partial(self._dragged, place)
                slide(label, end, moved, least=known.low, most=known.high, step=step, unit="")

    def _dragged(self, place: int, number: float) -> None:
        self._ends[place] = number
        low, high = sorted(self._ends)
        self._change(low=low, high=high)

    def _take(self, attribute: str) -> None:
        self._setup = replace(self._start(attribute), norm=self._setup.norm)
        self._draw_range()
        self._changed()

    def _turned(self, is_all: bool) -> None:
        self._all = is_all
        self._changed()

    def _change(self, **fields: Any) -> None:
        self._setup = replace(self._setup, **fields)
        self._changed()

    def _changed(self) -> None:
        setup = self._setup
        self._told.text = f"{setup.attribute} between {number_text(setup.low)} and {number_text(setup.high)}"
        self._latest += 1
        ui.timer(0.15, lambda number=self._latest: self._run(number), once=True)

    async def _run(self, number: int) -> None:
        if number != self._latest:
            return
        service, setup = self._view.service, self._setup
        user = None if self._all else self._view.user
        catalog = await asyncio.to_thread(service.catalog if self._all else lambda: service.part_of(user))
        try:
            found = await compute(self._view, study_interval, service.history(RECENT), catalog, user, setup)
        except RankcastError as error:
            self._title.text = str(error)
            return
        if number == self._latest:
            self._show(setup, found)

    def _show(self, setup: IntervalSetup, found: IntervalStudy) -> None:
        at = WIDTHS.index(1.0)
        left_out = f"; {found.left_out:,} more were not tried" if found.left_out else ""
        self._title.text = (
            f"“{cut(found.title, 60)}” with this {setup.attribute}: {found.counts[SUBSCRIBED][at]:,} of "
            f"{counted(found.of, 'subscription')} match, {found.counts[CRISP][at]:,} crisply{left_out}"
        )
        draw(self._drawn, interval_chart(found.widths, found.counts, setup.high - setup.low))
        with emptied(self._table):
            if not found.of:
                words("p", f"No subscription asks for {setup.attribute}.", "rc-soft")
                return
            titles = ("Subscription", "Of", *map(str.capitalize, _CASES))
            with table("Subscriptions, and whether they match", titles, "rc-unbroken"):
                for one in found.matches[:_SHOWN]:
                    _row(one)
            more_line(len(found.matches) - _SHOWN, classes="rc-soft")


def _row(one: IntervalMatch) -> None:
    crisp = "yes" if one.crisp else "–", "" if one.crisp else "rc-soft"
    with row((cut(label(one.subscription.where), 60), "rc-strong"), one.subscription.user, crisp):
        for case in _CASES[1:]:
            possibility, necessity = one.degrees[case]
            told = f"{possibility:.2f} possible, {necessity:.2f} certain" if possibility else "–"
            words("td", told, "rc-small" if possibility else "rc-small rc-soft")


COLOURS = {
    "crisp": "#8a8f98",
    "as subscribed": "#2f6fed",
    "optimistic": "#2e9e5b",
    "indifferent": "#c98a1b",
    "pessimistic": "#c0413b",
}


def interval_chart(widths: Sequence[float], counts: Mapping[str, Sequence[int]], now: float) -> JsonObject:
    """A line for each case; `now` is the width of the chosen interval.

    >>> interval_chart([0, 10], {"crisp": [3, 3], "optimistic": [3, 8]}, 5)["series"][1]["data"]
    [(0, 3), (10, 8)]
    """
    axis = {"name": "width of the interval", "min": 0, "max": max(widths) or 1}
    lines = [
        ChartLine(case, list(zip(widths, line, strict=True)), COLOURS[case], dashed=case == CRISP)
        for case, line in counts.items()
    ]
    return over(lines, axis, "subscriptions that match", mark=now)
