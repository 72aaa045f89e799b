"""Which of the matching subscriptions speak for an event: the most specific ones (SPEC 2; DEBS'09, 3.2)."""

from collections.abc import Iterable, Sequence

from rankcast.cover import Relation, relate
from rankcast.match import Meaning
from rankcast.model import Subscription

__all__ = ["Specificity"]


class Specificity:
    """The strict covers among one user's subscriptions.

    A pair is related when it first matters and remembered from then on: at most n (n - 1) / 2 relations for n
    subscriptions, and memory for as many.
    """

    def __init__(self, subscriptions: Iterable[Subscription], meaning: Meaning | None = None) -> None:
        self._where = {subscription.id: subscription.where for subscription in subscriptions}
        self._place = {name: place for place, name in enumerate(self._where)}
        self._meaning = meaning
        self._relations: dict[tuple[str, str], Relation] = {}

    def strictly_covers(self, general: str, special: str) -> bool:
        """Whether `general` matches all that `special` matches, and more."""
        if self._place[general] < self._place[special]:
            return self._relate(general, special) is Relation.COVERS
        return general != special and self._relate(special, general) is Relation.COVERED

    def most_specific(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Those of `ids` that do not strictly cover another of them, in the given order; of equal ones, all."""
        return tuple(name for name in ids if not any(self.strictly_covers(name, other) for other in ids))

    def _relate(self, first: str, second: str) -> Relation:
        pair = first, second
        if pair not in self._relations:
            self._relations[pair] = relate(self._where[first], self._where[second], self._meaning)
        return self._relations[pair]
