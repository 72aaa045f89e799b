"""The effects of changing concepts: which subscriptions match more or fewer of some events."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.matching import Meaning, matches
from rankcast.model import Catalog, Concept, Event, Is, Subscription, Term, predicates_of

MOST_TRIED = 40
"""The most subscriptions that are tried. Further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The number of events that a subscription matches before and after; `gained` and `lost` are examples."""

    subscription: Subscription
    before: int
    after: int
    gained: tuple[Event, ...]
    lost: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a change. `fits` counts the events that the word fits (at least 0.5), before and after.

    `more` is the number of further subscriptions that use the word and were not tried.
    """

    events: int
    fits: tuple[int, int]
    rows: tuple[Effect, ...]
    more: int


def meant_by(catalog: Catalog, concept: Concept) -> list[Subscription]:
    """The subscriptions that use this concept. Excludes users who define the word themselves."""
    own = {user for at, name, user in catalog.concepts if (at, name) == (concept.attribute, concept.name)}
    return [
        subscription
        for subscription in catalog.subscriptions.values()
        if (subscription.user == concept.user or (concept.user is None and subscription.user not in own))
        and any(
            predicate.attribute == concept.attribute
            and isinstance(predicate.test, Is)
            and predicate.test.term.concept == concept.name
            for predicate in predicates_of(subscription.where)
        )
    ]


def own_meanings(catalog: Catalog, concepts: Sequence[Concept]) -> list[str]:
    """The users who define one of these shared words themselves, sorted."""
    shared = {(one.attribute, one.name) for one in concepts if one.user is None}
    return sorted({user for at, name, user in catalog.concepts if user is not None and (at, name) in shared})


def effects_of(
    catalog: Catalog,
    events: Sequence[Event],
    concepts: Sequence[Concept],
    only_user: str | None = None,
    most: int = MOST_TRIED,
) -> Effects:
    """The effects of several new meanings together, on at most `most` subscriptions. O(subscriptions * events)."""
    changed = catalog.copy()
    for concept in concepts:
        changed.put(concept)
    using = [one for one in _affected(catalog, concepts, events) if only_user in (None, one.user)]
    rows = []
    for subscription in using[:most]:
        before, after = (matched_by(subscription, known, events) for known in (catalog, changed))
        gained = tuple(event for name, event in after.items() if name not in before)
        lost = tuple(event for name, event in before.items() if name not in after)
        rows.append(Effect(subscription, len(before), len(after), gained[:3], lost[:3]))
    return Effects(len(events), (0, 0), tuple(rows), max(len(using) - most, 0))


def matched_by(subscription: Subscription, catalog: Catalog, events: Sequence[Event]) -> dict[str, Event]:
    """The events that a subscription matches, by id."""
    meaning = catalog.meaning_of(subscription.user)
    shared: Meaning = catalog.membership
    return {event.id: event for event in events if matches(subscription.where, event, meaning, shared)}


def _affected(catalog: Catalog, concepts: Sequence[Concept], events: Sequence[Event]) -> list[Subscription]:
    """The subscriptions that use one of the words, or that read values which events give by one of them."""
    known = [one for one in concepts if (one.attribute, one.name, one.user) in catalog.concepts]
    found = {subscription.id: subscription for concept in known for subscription in meant_by(catalog, concept)}
    shared = {(one.attribute, one.name) for one in known if one.user is None}
    said = {
        name
        for event in events
        for name, value in event.attributes.items()
        if isinstance(value, Term) and (name, value.concept) in shared
    }
    for subscription in catalog.subscriptions.values() if said else ():
        if any(predicate.attribute in said for predicate in predicates_of(subscription.where)):
            found[subscription.id] = subscription
    return list(found.values())
