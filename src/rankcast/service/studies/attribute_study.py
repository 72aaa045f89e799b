"""Statistics of an attribute in recent events: its numbers or texts, their distribution, and the axis for drawing."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankcast import model
from rankcast.fuzzy import (
    MiningResult,
    NumberSummary,
    ValueMiningResult,
    ValueSummary,
    mine,
    mine_values,
    numbers_asked_for,
)
from rankcast.fuzzy.partition import scale_of
from rankcast.plain import JsonObject
from rankcast.service.trial_tasks import TrialHistory
from rankcast.store import Store

BARS = 60
CATEGORIES = 24
MOST_TEXTS = 40
"""An attribute with more distinct texts than this is not offered for concepts."""


@dataclass(frozen=True, slots=True)
class Study:
    """The values of an attribute in `events` recent events.

    `numbers` includes the middle of each range. `ranges` and `words` count the values that were ranges or only words,
    and `texts` counts each text.
    """

    attribute: str
    events: int
    numbers: tuple[float, ...]
    ranges: int
    words: int
    texts: Counter[str]

    @property
    def is_textual(self) -> bool:
        """Whether the values are texts."""
        return bool(self.texts) and not self.numbers

    def label(self) -> str:
        """The amount of data, in words."""
        having = len(self.numbers) + self.words if not self.is_textual else sum(self.texts.values())
        told = f"{having:,} values in the last {self.events:,} events"
        vague = [f"{self.ranges:,} of them ranges, drawn at their middle"] if self.ranges else []
        vague += [f"{self.words:,} only words, not drawn"] if self.words else []
        return "; ".join([told, *vague])


@dataclass(frozen=True, slots=True)
class Axis:
    """The range in which an attribute is drawn, logarithmic if `log`; or its `categories` with their shares."""

    name: str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    categories: tuple[tuple[str | float, float], ...] | None = None

    def props(self) -> JsonObject:
        """The properties for the component in the browser."""
        categories = None if self.categories is None else [list(pair) for pair in self.categories]
        return {"name": self.name, "low": self.low, "high": self.high, "log": self.log, "categories": categories}


def study(attribute: str, events: Sequence[model.Event]) -> Study:
    """Collect the values of an attribute. O(events)."""
    numbers: list[float] = []
    texts: Counter[str] = Counter()
    ranges = words = 0
    for event in events:
        match event.attributes.get(attribute):
            case None:
                pass
            case model.Term():
                words += 1
            case tuple() as values if not model.is_list(values):
                for value in values:
                    if model.kind_of(value) is model.Kind.NUMBER:
                        numbers.append(float(value))
                    elif isinstance(value, str):
                        texts[value] += 1
            case model.Table(degrees):
                best = max(degrees, key=lambda pair: pair[1])[0]
                if isinstance(best, str):
                    texts[best] += 1
            case tuple():
                pass  # no concept describes a list
            case membership:
                numbers.append(middle(membership))
                ranges += 1
    return Study(attribute, len(events), tuple(numbers), ranges, words, texts)


def study_recent(
    history: TrialHistory, with_concepts: Sequence[str], chosen: str, uses: Mapping[str, tuple[int, int]]
) -> tuple[list[str], Study]:
    """The suitable attributes of recent events, and the study of the chosen one.

    If the chosen one is not suitable, the attribute with the largest `uses` is studied.
    """
    events = history.read()[::-1]
    found = suitable_attributes(with_concepts, events)
    most_used = max(found, key=lambda name: uses.get(name, (0, 0)), default="")
    return found, study(chosen if chosen in found else most_used, events)


def propose_concepts(history: TrialHistory, found: Study, user: str | None) -> MiningResult | ValueMiningResult:
    """Concepts mined from recent events, and from what the subscriptions of a user ask for, or of all for None."""
    with Store.open(history.store) as store:
        catalog = store.catalog() if user is None else store.catalog_part(user.__eq__)
    wheres = [one.where for one in catalog.subscriptions.values()]
    if found.is_textual:
        return mine_values(ValueSummary.of(found.attribute, history.read(), wheres))
    return mine(NumberSummary.of(found.attribute, [*found.numbers, *numbers_asked_for(wheres, found.attribute)]))


def suitable_attributes(with_concepts: Iterable[str], events: Sequence[model.Event]) -> list[str]:
    """The attributes suitable for concepts: those with concepts, then numeric ones, then those with few texts."""
    numeric: Counter[str] = Counter()
    textual: dict[str, set[str]] = {}
    for event in events:
        for name, value in event.attributes.items():
            if isinstance(value, tuple) and isinstance(value[0], str):
                textual.setdefault(name, set()).update(str(one) for one in value)
            elif not isinstance(value, tuple) or (
                model.kind_of(value[0]) is model.Kind.NUMBER and not model.is_list(value)
            ):
                numeric[name] += 1
    few = [name for name, known in textual.items() if len(known) <= MOST_TEXTS]
    return list(dict.fromkeys([*sorted(with_concepts), *sorted(numeric), *sorted(few)]))


def axis_of(found: Study, memberships: Iterable[model.Membership]) -> Axis:
    """An axis that shows both the values and the membership functions, without outliers."""
    drawn = list(memberships)
    tables = [one for one in drawn if isinstance(one, model.Table)]
    if tables or (found.is_textual and not drawn):
        return Axis(found.attribute, categories=_categories(found, tables))
    ends = [x for one in drawn for x in _ends(one)]
    if not found.numbers and not ends:
        return Axis(found.attribute)
    summary = NumberSummary.of(found.attribute, found.numbers)
    scale = scale_of(summary)
    if found.numbers:
        ends += [summary.quantile(0.002), summary.quantile(0.99)]
    low, high = min(ends), max(ends)
    if scale is not None and scale.log:
        positive = [x for x in (*ends, scale.low) if x > 0]
        low = min(positive)
        if high / low >= 20:
            return Axis(found.attribute, low, high * 1.1, log=True)
        low = min(ends)
    room = (high - low) * 0.05 or max(abs(high), 1.0) * 0.1
    floor = 0.0 if low >= 0 and low - room < 0 else low - room
    return Axis(found.attribute, floor, high + room)


def bars_of(found: Study, axis: Axis) -> list[tuple[float, float, float]]:
    """The histogram as (from, to, height), the highest bar being 1. The end bars include outliers."""
    if axis.categories is not None or not found.numbers:
        return []
    if axis.log:
        ratio = (axis.high / axis.low) ** (1 / BARS)
        edges = [axis.low * ratio**number for number in range(BARS + 1)]
    else:
        edges = [axis.low + (axis.high - axis.low) * number / BARS for number in range(BARS + 1)]
    counts = Counter(min(max(bisect_right(edges, x) - 1, 0), BARS - 1) for x in found.numbers)
    highest = max(counts.values())
    return [(edges[at], edges[at + 1], count / highest) for at, count in sorted(counts.items())]


def _categories(found: Study, tables: Sequence[model.Table]) -> tuple[tuple[str | float, float], ...]:
    counts: Counter[str | float] = Counter(found.texts)
    counts.update(found.numbers)
    named = dict.fromkeys(value for table in tables for value, _ in table.degrees)
    common = [value for value, _ in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))]
    shown = list(dict.fromkeys([*named, *common]))[:CATEGORIES]
    shown.sort(key=lambda value: (-counts[value], str(value)))
    highest = max(counts.values(), default=1)
    return tuple((value, counts[value] / highest) for value in shown)


def middle(membership: model.Membership) -> float:
    """The middle of the values with the highest degree."""
    match membership:
        case model.Trapezoid(_, b, c, _):
            return (b + c) / 2
        case model.Triangle(_, b, _):
            return b
        case model.Interval(low, high):
            return (low + high) / 2
        case model.Gaussian(mean, _):
            return mean
        case model.Piecewise(corners):
            best = max(degree for _, degree in corners)
            top = [x for x, degree in corners if degree == best]
            return (top[0] + top[-1]) / 2
        case model.Table():
            return 0.0
        case model.LeftShoulder() | model.RightShoulder():
            points = membership.points()
            return (points[0][0] + points[-1][0]) / 2


def _ends(membership: model.Membership) -> list[float]:
    match membership:
        case model.Gaussian(mean, sigma):
            return [mean - 2 * sigma, mean + 2 * sigma] if math.isfinite(mean) else []
        case model.Table():
            return []
        case (
            model.Trapezoid()
            | model.Triangle()
            | model.Interval()
            | model.LeftShoulder()
            | model.RightShoulder()
            | model.Piecewise()
        ):
            return [x for x, _ in membership.points()]
