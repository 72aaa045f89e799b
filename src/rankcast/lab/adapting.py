"""Mined concepts that follow the data: mine an attribute again, replace what moved, and undo it.

Mining owns the shared concepts of an attribute that it put itself and that nobody has changed since. A run keeps their
names and their number, so that no subscription loses its word: only the meaning moves. It changes nothing if the
degrees would move by less than `LEAST_SHIFT`, averaged over the data.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankcast.errors import CatalogError, ModelError
from rankcast.fuzzy import (
    MiningResult,
    NumberSummary,
    ValueMiningResult,
    ValueSummary,
    degree,
    mine,
    mine_values,
    numbers_asked_for,
)
from rankcast.fuzzy.summary import number_of
from rankcast.fuzzy.value_summary import strings_of
from rankcast.lab.concept_effects import effects_of
from rankcast.model import Catalog, Concept, Event, Expression, Table
from rankcast.model.actors import Actor
from rankcast.store import MiningEffect, MiningLog, MiningRun, Store

LEAST_SHIFT = 0.01
"""Degrees must move by this much, averaged over the data, before anything is changed."""

MINED_EVENTS = 20_000
"""The number of recent events from which a service mines. So the meaning follows what is offered now."""

SCHEDULE = Actor("mining (schedule)")
"""Who changes concepts if nobody asked for a run."""

_TRIED_EVENTS = 300
_TRIED_SUBSCRIPTIONS = 200

Summary = NumberSummary | ValueSummary


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What a run would change. Without a run, `reason` says why nothing changes."""

    attribute: str
    run: MiningRun | None = None
    reason: str = ""


def summary_of(attribute: str, events: Sequence[Event], wheres: Iterable[Expression]) -> Summary:
    """The numbers of an attribute, or its strings if it has more of them, in events and subscriptions. O(events)."""
    values = [event.attributes.get(attribute) for event in events]
    numbers = [number_of(value) for value in values]
    known = list(wheres)
    strings = sum(bool(strings_of(value)) for value in values)
    if strings > sum(number is not None for number in numbers):
        return ValueSummary.of(attribute, events, known)
    return NumberSummary.of(attribute, [*numbers, *numbers_asked_for(known, attribute)])


def plan_adaptation(
    catalog: Catalog, summary: Summary, events: Sequence[Event], last: MiningRun | None, *, is_asked: bool
) -> Adaptation:
    """What mining would change now. `events` are recent ones, newest first, on which the effects are tried.

    A schedule leaves concepts alone that somebody made or changed by hand, and attributes whose last run was undone.
    Whoever asks for a run (`is_asked`) hands both to mining.
    """
    attribute = summary.attribute
    present = [one for one in catalog.concepts.values() if one.attribute == attribute and one.user is None]
    if not is_asked:
        if last is not None and last.undone is not None:
            return Adaptation(
                attribute, reason=f"run {last.number} was undone; mining waits until somebody asks for it"
            )
        own = {one for one in (*last.before, *last.after) if one is not None} if last is not None else set()
        by_hand = sorted(one.name for one in present if one not in own)
        if by_hand:
            return Adaptation(attribute, reason=f"made or changed by hand: {', '.join(by_hand)}")
    try:
        mined = _mined(summary, present)
    except ModelError as error:
        return Adaptation(attribute, reason=str(error))
    if mined.reason:
        return Adaptation(attribute, reason=mined.reason)
    known = {one.name: one for one in present}
    changed = [one for one in mined.concepts if known.get(one.name) != one]
    shift = _shift(summary, [(known.get(one.name), one) for one in mined.concepts])
    if not changed or shift < LEAST_SHIFT:
        return Adaptation(attribute, reason=f"nothing moved: degrees would change by {shift:.4f} on average")
    tried = list(events[:_TRIED_EVENTS])
    effects = effects_of(catalog, tried, changed, most=_TRIED_SUBSCRIPTIONS)
    rows = tuple(
        MiningEffect(row.subscription.user, row.subscription.id, row.before, row.after)
        for row in effects.rows
        if row.gained or row.lost
    )
    before = tuple(known.get(one.name) for one in changed)
    run = MiningRun(attribute, before, tuple(changed), shift, summary.count, len(tried), effects.more, rows)
    return Adaptation(attribute, run)


def adapt(store: Store, run: MiningRun) -> MiningRun:
    """Put the concepts of a planned run into the catalog, and keep the run. Refused if they changed meanwhile."""

    def check(catalog: Catalog) -> None:
        for old, new in zip(run.before, run.after, strict=True):
            if catalog.concepts.get(_key(new)) != old:
                raise CatalogError(f"{new.name!r} on {new.attribute!r} was changed meanwhile; ask again")

    log = MiningLog(store.database)
    number = log.add(run)  # first, so that no change is without its run, whatever is killed
    try:
        store.change(put=run.after, check=check)
    except Exception:
        log.forget(number)
        raise
    return log.run(number)


def undo_run(store: Store, number: int) -> MiningRun:
    """Give the concepts the meaning that they had before a run, the last one on its attribute."""
    log = MiningLog(store.database)
    run = log.run(number)
    if run.undone is not None:
        raise CatalogError(f"run {number} was undone already")
    last = log.last(run.attribute)
    if last is not None and last.number != number:
        raise CatalogError(f"run {last.number} came after run {number}; undo that first")

    def check(catalog: Catalog) -> None:
        for old, new in zip(run.before, run.after, strict=True):
            if catalog.concepts.get(_key(new)) not in (old, new):
                raise CatalogError(f"{new.name!r} on {new.attribute!r} was changed after run {number}")

    removed = [new for old, new in zip(run.before, run.after, strict=True) if old is None]
    store.change(put=[old for old in run.before if old is not None], remove=removed, check=check)
    log.mark_undone(number)
    return log.run(number)


def _mined(summary: Summary, present: Sequence[Concept]) -> MiningResult | ValueMiningResult:
    """Mine as many concepts as there are, under their names; or as many as the data needs, if there are none."""
    count = len(present) or None
    if isinstance(summary, ValueSummary):
        return mine_values(summary, count=count, known=present)
    return mine(summary, names=_ascending(summary, present) if present else None)


def _ascending(summary: NumberSummary, present: Sequence[Concept]) -> list[str]:
    """The names of concepts, from low to high by the mean of the numbers that they describe."""

    def place(concept: Concept) -> tuple[float, str]:
        described = [(x, count * degree(concept.membership, (), x)) for x, count in summary.points()]
        weight = sum(share for _, share in described)
        middle = sum(x * share for x, share in described) / weight if weight else number_of(concept.membership)
        return (float("inf") if middle is None else middle), concept.name

    if any(isinstance(one.membership, Table) for one in present):
        raise ModelError(f"{summary.attribute!r} has numbers, and its concepts are tables")
    return [one.name for one in sorted(present, key=place)]


def _shift(summary: Summary, pairs: Sequence[tuple[Concept | None, Concept]]) -> float:
    """The mean change of degree over the data, of the concept that changes most; 1 if a concept is new."""
    if any(old is None for old, _ in pairs):
        return 1.0
    points: list[tuple[float | str, int]] = (
        list(summary.values.items()) if isinstance(summary, ValueSummary) else [*summary.points()]
    )
    total = sum(count for _, count in points)
    return max(
        sum(count * abs(degree(new.membership, (), x) - degree(old.membership, (), x)) for x, count in points) / total
        for old, new in pairs
        if old is not None
    )


def _key(concept: Concept) -> tuple[str, str, str | None]:
    return concept.attribute, concept.name, concept.user
