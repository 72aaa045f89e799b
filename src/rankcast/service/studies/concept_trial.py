"""The effects of changing a concept: which subscriptions would match more or fewer of the recent events."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankcast.fuzzy import degree, possibility_necessity
from rankcast.matching import Meaning, matches
from rankcast.model import Catalog, Concept, Event, Is, Membership, Subscription, Term, predicates_of
from rankcast.service.trial_tasks import TrialHistory
from rankcast.store import Store

__all__ = ["ConceptTrial", "Effect", "Effects", "meant_by", "own_meanings", "try_concept", "try_concepts"]

MOST = 40
"""The most subscriptions that are tried. Further ones are only counted."""

ENOUGH = 0.5


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


def try_concept(
    history: TrialHistory, catalog: Catalog | None, concept: Concept, draft: Membership, only_user: str | None
) -> Effects:
    """The effects of a draft meaning on recent events.

    `catalog` is the part for one user, or None for the newest catalog of the store and all users.
    """
    if catalog is None:
        with Store.open(history.store) as store:
            catalog = store.catalog()
    return ConceptTrial(catalog, concept, history.read()[::-1], only_user).of(draft)


def own_meanings(catalog: Catalog, concepts: Sequence[Concept]) -> list[str]:
    """The users who define one of these shared words themselves, sorted."""
    shared = {(one.attribute, one.name) for one in concepts if one.user is None}
    return sorted({user for at, name, user in catalog.concepts if user is not None and (at, name) in shared})


def try_concepts(
    history: TrialHistory, catalog: Catalog | None, concepts: Sequence[Concept], only_user: str | None
) -> Effects:
    """The effects of several new meanings together, on recent events. `catalog` is as in `try_concept`."""
    if catalog is None:
        with Store.open(history.store) as store:
            catalog = store.catalog()
    events = history.read()[::-1]
    changed = catalog.copy()
    for concept in concepts:
        changed.put(concept)
    using = [one for one in _affected(catalog, concepts, events) if only_user in (None, one.user)]
    rows = []
    for subscription in using[:MOST]:
        before, after = (_matched_by(subscription, known, events) for known in (catalog, changed))
        gained = tuple(event for name, event in after.items() if name not in before)
        lost = tuple(event for name, event in before.items() if name not in after)
        rows.append(Effect(subscription, len(before), len(after), gained[:3], lost[:3]))
    return Effects(len(events), (0, 0), tuple(rows), max(len(using) - MOST, 0))


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


def _matched_by(subscription: Subscription, catalog: Catalog, events: Sequence[Event]) -> dict[str, Event]:
    """The events that a subscription matches, by id."""
    meaning = catalog.meaning_of(subscription.user)
    shared: Meaning = catalog.membership
    return {event.id: event for event in events if matches(subscription.where, event, meaning, shared)}


class ConceptTrial:
    """Compares matches of recent events under the current and a draft meaning of a concept.

    Create it once per concept: O(subscriptions that use it * events). Each trial costs at most the same again.
    """

    def __init__(
        self, catalog: Catalog, concept: Concept, events: Sequence[Event], only_user: str | None = None
    ) -> None:
        self._catalog = catalog
        self.concept = concept
        self._events = [event for event in events if concept.attribute in event.attributes]
        self._of = len(events)
        known = (concept.attribute, concept.name, concept.user) in catalog.concepts
        using = meant_by(catalog, concept) if known or concept.user is not None else []
        using = [one for one in using if only_user in (None, one.user)]
        self.using = using
        self._before = {one.id: _matched_by(one, catalog, events) for one in using[:MOST]}
        present = catalog.concepts.get((concept.attribute, concept.name, concept.user))
        shared = catalog.concepts.get((concept.attribute, concept.name, None))
        self._fits = self._fitting((present or shared or concept).membership)

    def of(self, membership: Membership) -> Effects:
        """The effects if the concept had this membership function."""
        changed = self._catalog.copy()
        changed.put(replace(self.concept, membership=membership))
        rows = []
        for subscription in self.using[:MOST]:
            before = self._before[subscription.id]
            after = _matched_by(subscription, changed, self._events)
            # The meaning of the word does not affect events without the attribute.
            kept = {seq: event for seq, event in before.items() if self.concept.attribute not in event.attributes}
            gained = [event for seq, event in after.items() if seq not in before]
            lost = [event for seq, event in before.items() if seq not in after and seq not in kept]
            rows.append(Effect(subscription, len(before), len(after) + len(kept), tuple(gained[:3]), tuple(lost[:3])))
        fits = self._fitting(membership)
        return Effects(self._of, (self._fits, fits), tuple(rows), max(len(self.using) - MOST, 0))

    def _fitting(self, membership: Membership) -> int:
        return sum(self._fit(membership, event) >= ENOUGH - 1e-9 for event in self._events)

    def _fit(self, membership: Membership, event: Event) -> float:
        match event.attributes[self.concept.attribute]:
            case tuple() as values:
                return max(degree(membership, (), value) for value in values)
            case Term() as term:
                meant = self._catalog.membership(self.concept.attribute, term)
                return possibility_necessity(membership, (), meant, term.hedges)[0]
            case imprecise:
                return possibility_necessity(membership, (), imprecise)[0]
