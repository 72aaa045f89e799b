"""What an interval does to the matches of a publication: crisp and approximate side by side (A-ToPSS, scenario 2)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rankcast import model
from rankcast.language.event_words import title_of
from rankcast.matching import evaluate
from rankcast.service.trial_tasks import TrialHistory

_FIRST = 20
MOST = 300
"""The most subscriptions that are evaluated."""

WIDTHS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
"""The intervals of the curve, as multiples of the chosen one around the same middle."""

CRISP, SUBSCRIBED = "crisp", "as subscribed"


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A number attribute of recent events with its lowest and highest value."""

    attribute: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class IntervalSetup:
    """A publication whose `attribute` lies between `low` and `high`, and how degrees are combined."""

    attribute: str
    low: float
    high: float
    norm: model.Norm = model.Norm.MIN


@dataclass(frozen=True, slots=True)
class IntervalMatch:
    """Whether a subscription matches crisply, and to which degree (possibility, necessity) in each case."""

    subscription: model.Subscription
    crisp: bool
    degrees: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class IntervalStudy:
    """The rest of the publication, the subscriptions, the best match first, and the number of matches against the width.

    `counts` has for each case a number for each of `widths`. `of` is the number of subscriptions that use the attribute,
    `left_out` of those that were not evaluated.
    """

    title: str
    matches: tuple[IntervalMatch, ...]
    widths: tuple[float, ...]
    counts: dict[str, tuple[int, ...]]
    of: int
    left_out: int


def ranges(events: Iterable[model.Event]) -> list[NumberRange]:
    """The number attributes of recent events that vary, by name."""
    found: dict[str, NumberRange] = {}
    for event in events:
        for name, value in event.attributes.items():
            x = _number(value)
            if x is not None:
                known = found.get(name, NumberRange(name, x, x))
                found[name] = NumberRange(name, min(known.low, x), max(known.high, x))
    return [found[name] for name in sorted(found) if found[name].low < found[name].high]


def study_interval(
    history: TrialHistory, catalog: model.Catalog, user: str | None, setup: IntervalSetup
) -> IntervalStudy:
    """Match a publication with an interval for one attribute, in every case.

    The rest of it is as in the newest event that one of the first few subscriptions matches; else as in the newest. The cases are: as subscribed, and with the thresholds of each attitude for all predicates. Crisp is the middle of the
    interval, and what is vague counts from degree 0.5 on. O(subscriptions * widths).
    """
    users = catalog.users() if user is None else [user]
    using = [
        one
        for name in users
        for one in catalog.subscriptions_of(name)
        if any(predicate.attribute == setup.attribute for predicate in model.predicates_of(one.where))
    ]
    chosen = using[:MOST]
    newest = [event for event in reversed(history.read()) if setup.attribute in event.attributes]
    matched = (event for event in newest if any(_matches(catalog, one, event, setup.norm) for one in chosen[:_FIRST]))
    base = next(matched, newest[0] if newest else model.Event("none", model.EPOCH, {}))
    cases: dict[str, model.Thresholds | None] = {
        SUBSCRIBED: None,
        **{one.value: one.thresholds for one in model.Attitude},
    }
    middle, half = (setup.low + setup.high) / 2, (setup.high - setup.low) / 2
    certain = _with(base, setup.attribute, (middle,))
    crisp = [_degrees(catalog, one, _cut(one.where), certain, setup.norm)[0] > 0 for one in chosen]
    counts: dict[str, tuple[int, ...]] = {CRISP: (sum(crisp),) * len(WIDTHS)}
    degrees: list[dict[str, tuple[float, float]]] = [{} for _ in chosen]
    for case, thresholds in cases.items():
        wheres = [
            one.where if thresholds is None else model.with_attitude(one.where, thresholds, True) for one in chosen
        ]
        curve = []
        for width in WIDTHS:
            value: model.AttributeValue = (
                model.Interval(middle - width * half, middle + width * half) if width * half else (middle,)
            )
            event = _with(base, setup.attribute, value)
            found = [
                _degrees(catalog, one, where, event, setup.norm) for one, where in zip(chosen, wheres, strict=True)
            ]
            curve.append(sum(possibility > 0 for possibility, _ in found))
            if width == 1.0:
                for known, degree in zip(degrees, found, strict=True):
                    known[case] = degree
        counts[case] = tuple(curve)
    rows = [IntervalMatch(one, is_crisp, known) for one, is_crisp, known in zip(chosen, crisp, degrees, strict=True)]
    rows.sort(key=_best_first)
    widths = tuple(2 * width * half for width in WIDTHS)
    title = title_of(base) if base.attributes else setup.attribute
    return IntervalStudy(title, tuple(rows), widths, counts, len(using), max(len(using) - MOST, 0))


def _best_first(row: IntervalMatch) -> tuple[object, ...]:
    possibility, necessity = row.degrees[SUBSCRIBED]
    cases = row.crisp + sum(degree > 0 for degree, _ in row.degrees.values())
    return -possibility, -necessity, -cases, row.subscription.id


def _cut(where: model.Expression) -> model.Expression:
    """The expression with what is vague counted from degree 0.5 on."""
    return model.with_attitude(where, model.Attitude.OPTIMISTIC.thresholds, everywhere=True)


def _degrees(
    catalog: model.Catalog, one: model.Subscription, where: model.Expression, event: model.Event, norm: model.Norm
) -> tuple[float, float]:
    """Possibility and necessity of the match; 0 if it does not hold."""
    outcome = evaluate(where, event, catalog.meaning_of(one.user), norm, catalog.membership)
    return (outcome.possibility, outcome.necessity) if outcome.holds else (0.0, 0.0)


def _matches(catalog: model.Catalog, one: model.Subscription, event: model.Event, norm: model.Norm) -> bool:
    return _degrees(catalog, one, one.where, event, norm)[0] > 0


def _with(event: model.Event, attribute: str, value: model.AttributeValue) -> model.Event:
    return replace(event, attributes={**event.attributes, attribute: value})


def _number(value: model.AttributeValue) -> float | None:
    if isinstance(value, model.Interval):
        return (value.low + value.high) / 2
    if isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], int | float):
        return None if isinstance(value[0], bool) else float(value[0])
    return None
