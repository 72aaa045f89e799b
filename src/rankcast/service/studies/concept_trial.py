"""The effects of changing a concept: which subscriptions would match more or fewer of the recent events."""

from collections.abc import Sequence
from dataclasses import replace

from rankcast.fuzzy import degree, possibility_necessity
from rankcast.lab.concept_effects import MOST_TRIED, Effect, Effects, effects_of, matched_by, meant_by
from rankcast.model import Catalog, Concept, Event, Membership, Term
from rankcast.service.trial_tasks import TrialHistory
from rankcast.store import Store

ENOUGH = 0.5


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


def try_concepts(
    history: TrialHistory, catalog: Catalog | None, concepts: Sequence[Concept], only_user: str | None
) -> Effects:
    """The effects of several new meanings together, on recent events. `catalog` is as in `try_concept`."""
    if catalog is None:
        with Store.open(history.store) as store:
            catalog = store.catalog()
    return effects_of(catalog, history.read()[::-1], concepts, only_user)


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
        self._before = {one.id: matched_by(one, catalog, events) for one in using[:MOST_TRIED]}
        present = catalog.concepts.get((concept.attribute, concept.name, concept.user))
        shared = catalog.concepts.get((concept.attribute, concept.name, None))
        self._fits = self._fitting((present or shared or concept).membership)

    def of(self, membership: Membership) -> Effects:
        """The effects if the concept had this membership function."""
        changed = self._catalog.copy()
        changed.put(replace(self.concept, membership=membership))
        rows = []
        for subscription in self.using[:MOST_TRIED]:
            before = self._before[subscription.id]
            after = matched_by(subscription, changed, self._events)
            # The meaning of the word does not affect events without the attribute.
            kept = {seq: event for seq, event in before.items() if self.concept.attribute not in event.attributes}
            gained = [event for seq, event in after.items() if seq not in before]
            lost = [event for seq, event in before.items() if seq not in after and seq not in kept]
            rows.append(Effect(subscription, len(before), len(after) + len(kept), tuple(gained[:3]), tuple(lost[:3])))
        fits = self._fitting(membership)
        return Effects(self._of, (self._fits, fits), tuple(rows), max(len(self.using) - MOST_TRIED, 0))

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
