"""The same wishes, vague and crisp: how often vague subscriptions match, and their crisp counterparts (A-ToPSS).

A crisp system knows one value of each attribute and accepts it or not. So an imprecise value counts as its middle (the
most possible string of a table). The counterpart *at the thresholds* accepts what the vague predicate accepts of crisp
values, its alpha-cut. The counterpart *at the core* accepts what fully deserves the word.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from rankcast import model
from rankcast.fuzzy.summary import number_of
from rankcast.fuzzy.value_summary import strings_of
from rankcast.matching import evaluate, matches

CRISP = "crisp"

_CORE = model.Thresholds(1.0, 1.0)


class VagueCounts(NamedTuple):
    """Pairs of an event and a vague subscription that match: as subscribed, at the thresholds, and at the core."""

    events: int
    subscriptions: int
    vague: int
    at_thresholds: int
    at_core: int


def vague_subscriptions(catalog: model.Catalog, most: int, examined: int) -> list[model.Subscription]:
    """The first subscriptions with a vague word, at most `most`, among the first `examined`."""
    known = islice(catalog.subscriptions.values(), examined)
    return list(islice((one for one in known if _is_vague(one.where)), most))


def compare_vague(
    catalog: model.Catalog, subscriptions: Sequence[model.Subscription], events: Iterable[model.Event]
) -> VagueCounts:
    """Match each event with each subscription in all three ways. O(events * subscriptions)."""
    known = list(events)
    certain = [_crisp(event, catalog) for event in known]
    vague = at_thresholds = at_core = 0
    for one in subscriptions:
        core = model.with_attitude(one.where, _CORE, everywhere=True)
        meaning, norm = catalog.meaning_of(one.user), catalog.policy_of(one.user).norm
        for event, crisp in zip(known, certain, strict=True):
            vague += evaluate(one.where, event, meaning, norm, catalog.membership).holds
            if evaluate(one.where, crisp, meaning, norm, catalog.membership).holds:
                at_thresholds += 1
                at_core += evaluate(core, crisp, meaning, norm, catalog.membership).holds
    return VagueCounts(len(known), len(subscriptions), vague, at_thresholds, at_core)


def compare_thresholds(
    catalog: model.Catalog, user: str | None, where: model.Expression, events: Sequence[model.Event]
) -> dict[str, int]:
    """How many events a vague expression matches with each attitude in all its vague predicates, and crisply (the core).

    Empty if the expression has no vague word, and no event an imprecise value for it. O(events).
    """
    meaning, shared = catalog.meaning_of(user), catalog.membership
    asked_for = {predicate.attribute for predicate in model.predicates_of(where)}
    values = (event.attributes.get(name, ()) for event in events for name in asked_for)
    if not (_is_vague(where) or any(not isinstance(value, tuple) for value in values)):
        return {}
    core = model.with_attitude(where, _CORE, everywhere=True)
    counts = {CRISP: sum(matches(core, _crisp(event, catalog), meaning, shared) for event in events)}
    for attitude in model.Attitude:
        asked = model.with_attitude(where, attitude.thresholds, everywhere=True)
        counts[attitude.value] = sum(matches(asked, event, meaning, shared) for event in events)
    return counts


def _is_vague(where: model.Expression) -> bool:
    return any(isinstance(predicate.test, model.Is) for predicate in model.predicates_of(where))


def _crisp(event: model.Event, catalog: model.Catalog) -> model.Event:
    """The event with one value where it was imprecise; without the attribute where no value stands out."""
    attributes: dict[str, model.AttributeValue] = {}
    for name, value in event.attributes.items():
        if isinstance(value, tuple):
            attributes[name] = value
            continue
        meant = value
        if isinstance(value, model.Term):
            if value.hedges:
                continue
            meant = catalog.membership(name, value)
        x, texts = number_of(meant), strings_of(meant)
        if x is not None:
            attributes[name] = (x,)
        elif texts:
            attributes[name] = (texts[0],)
    return replace(event, attributes=attributes)
