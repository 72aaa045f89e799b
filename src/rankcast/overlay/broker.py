"""One broker's part in serving an advertisement: what it knows, what it forwards, which recipients it chooses."""

from collections.abc import Iterable
from typing import NamedTuple

from rankcast.model import Advertisement, Catalog, Event, Ranking
from rankcast.overlay.functions import Score
from rankcast.overlay.lots import draw
from rankcast.overlay.order import KnownSubscription, Order
from rankcast.overlay.recipients import Finder, Matched, recipients
from rankcast.overlay.strategies import Strategy

LOCAL = ""
"""The broker's own subscribers, in place of the name of a neighbour."""


class ForwardingChanges(NamedTuple):
    """Changes of the subscriptions that a broker forwards."""

    added: list[KnownSubscription]
    removed: list[str]
    reweighed: list[KnownSubscription]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.reweighed)


class Broker:
    """Knows the subscriptions of its own subscribers and those that its downstream neighbours forwarded."""

    def __init__(
        self,
        name: str,
        catalog: Catalog,
        advertisement: Advertisement,
        strategy: Strategy,
        order: Order,
    ) -> None:
        self.name = name
        self._catalog = catalog
        self._advertisement = advertisement
        self._strategy = strategy
        self._order = order
        self._known: dict[str, dict[str, KnownSubscription]] = {LOCAL: {}}
        self._origin: dict[str, str] = {}
        self._finder: Finder | None = None
        self.forwarded: dict[str, KnownSubscription] = {}

    def judge(self, order: Order) -> None:
        """Replace the order, and with it the scorer."""
        self._order = order

    # subscriptions, towards the publisher

    def known(self) -> list[KnownSubscription]:
        """All known subscriptions, grouped by the neighbour they came from."""
        return [one for known in self._known.values() for one in known.values()]

    def receive(self, origin: str, changes: ForwardingChanges) -> None:
        """Apply the changes of a neighbour or of an own subscriber."""
        known = self._known.setdefault(origin, {})
        for name in changes.removed:
            del known[name], self._origin[name]
        for one in (*changes.added, *changes.reweighed):
            known[one.subscription.id] = one
            self._origin[one.subscription.id] = origin
        if changes.added or changes.removed:
            self._finder = None

    def settle(self, weights_travel: bool = False) -> ForwardingChanges:
        """Compute again what goes upstream; return the changes.

        With `weights_travel`, a weight is not worth a message of its own: if no subscription goes upstream or is
        taken back, nothing does, and upstream keeps the old weights until the next time.
        """
        found = self._strategy.forward(self.known(), self._order, self._advertisement.k)
        before, after = self.forwarded, {known.subscription.id: known for known in found}
        changes = ForwardingChanges(
            [known for name, known in after.items() if name not in before],
            [name for name in before if name not in after],
            [known for name, known in after.items() if name in before and known.weight != before[name].weight],
        )
        if weights_travel and not (changes.added or changes.removed):
            return ForwardingChanges([], [], [])
        self.forwarded = after
        return changes

    # publications, from the publisher

    def match(self, event: Event) -> list[Matched]:
        """The known subscriptions that the event matches."""
        if self._finder is None:
            self._finder = Finder([known.subscription for known in self.known()], self._catalog)
        return self._finder.match(event)

    def choose(self, event: Event, count: int) -> dict[str, list[str]]:
        """The recipients chosen among the known subscriptions, by the neighbour they came from.

        Without top-k, all matching subscriptions are chosen. If the strategy is exact, the k best are chosen by id,
        and each broker downstream chooses the same ones. Otherwise `count` copies are drawn from an urn that holds
        each subscription as often as its weight. A neighbour is told how many were drawn from it, and draws as many
        among the subscriptions that it knows, including hidden ones.
        """
        matched = self.match(event)
        if not self._strategy.is_top_k:
            chosen = [subscription.id for subscription, _ in matched]
        elif self._strategy.is_exact(self._advertisement.rank):
            best = recipients(self._advertisement, event, matched, self._order.scorer, self._catalog.meaning_of)
            chosen = [subscription.id for subscription, _ in best]
        else:
            chosen = self._drawn(event, matched, count)
        return self.by_origin(chosen)

    def by_origin(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """The subscriptions by the neighbour they came from."""
        found: dict[str, list[str]] = {}
        for name in ids:
            found.setdefault(self._origin[name], []).append(name)
        return found

    def _drawn(self, event: Event, matched: list[Matched], count: int) -> list[str]:
        """Draw `count` copies; the result has each subscription as often as it was drawn.

        Without scores all copies are in one urn. With scores the best come first, and each tie has an urn.
        """
        by_score = self._advertisement.rank is not Ranking.FAIR
        tied: dict[Score, dict[str, int]] = {}
        for subscription, degree in matched:
            score = self._order.scorer.score(event, subscription, degree) if by_score else ()
            known = self._known[self._origin[subscription.id]][subscription.id]
            tied.setdefault(score, {})[subscription.id] = known.weight
        drawn: list[str] = []
        for score in sorted(tied, reverse=True):
            # Each broker draws its own lots: the same lots again would never choose what upstream did not know.
            found = draw(tied[score], count - len(drawn), self._advertisement.id, event.id, self.name)
            drawn += [name for name, times in found.items() for _ in range(times)]
        return drawn
