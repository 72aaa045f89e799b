"""One running broker's part in serving one advertisement, kept up to date by what changed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rankcast.cover import NormalForm, normal_form
from rankcast.model import Catalog, Event
from rankcast.overlay.broker import LOCAL, Broker, ForwardingChanges
from rankcast.overlay.items import AdvertisedItem, SubscribedItem
from rankcast.overlay.order import KnownSubscription, Order
from rankcast.overlay.scorers import meanings_of, scorer_of
from rankcast.overlay.strategies import STRATEGIES


class ServedAdvertisement:
    """The `Broker` of one advertisement, fed with differences.

    Parameters
    ----------
    origin
        The neighbour from which the advertisement came, to which subscriptions go; `LOCAL` if it was made here.
    catalog
        The concepts that the advertisement and the subscriptions name.
    """

    def __init__(self, name: str, item: AdvertisedItem, origin: str, catalog: Catalog) -> None:
        self.item = item
        self.origin = origin
        self._strategy = STRATEGIES[item.strategy]
        self._catalog = catalog
        self._space = normal_form(item.advertisement.where, catalog.membership)
        scorer = scorer_of(catalog, item.advertisement)
        order = Order(self._strategy.standing, item.advertisement.rank, scorer, meanings_of(catalog))
        self._broker = Broker(name, catalog, item.advertisement, self._strategy, scorer, order)
        self._known: dict[str, tuple[str, SubscribedItem, KnownSubscription]] = {}
        self._forms: dict[str, tuple[SubscribedItem, bool]] = {}
        self._is_settled = True

    def update(self, own: Mapping[str, SubscribedItem], others: Iterable[tuple[str, SubscribedItem, int]]) -> None:
        """Take what is known now: own subscriptions, and those of neighbours with their weights.

        Of subscriptions with the same id, an own one counts.
        """
        found: dict[str, tuple[str, SubscribedItem, int]] = {}
        self._forms = {name: self._judged(name, item) for name, item in own.items()}
        for name, (item, is_concerned) in self._forms.items():
            if is_concerned:
                found[name] = (LOCAL, item, 1)
        for origin, item, weight in others:
            found.setdefault(item.subscription.id, (origin, item, weight))
        changes: dict[str, ForwardingChanges] = defaultdict(lambda: ForwardingChanges([], [], []))
        known: dict[str, tuple[str, SubscribedItem, KnownSubscription]] = {}
        for name, (origin, item, weight) in found.items():
            before = self._known.get(name)
            if before is not None and before[0] == origin and before[1].subscription == item.subscription:
                one = before[2]
                if one.weight != weight:
                    one = KnownSubscription(one.subscription, weight)
                    changes[origin].reweighed.append(one)
            else:
                if before is not None:
                    changes[before[0]].removed.append(name)
                one = KnownSubscription(item.subscription, weight)
                changes[origin].added.append(one)
            known[name] = origin, item, one
        for name, (origin, _, _) in self._known.items():
            if name not in known:
                changes[origin].removed.append(name)
        self._known = known
        # What is taken back first: a subscription may go from one neighbour to another.
        for origin, change in changes.items():
            self._broker.receive(origin, ForwardingChanges([], change.removed, []))
        for origin, change in changes.items():
            self._broker.receive(origin, ForwardingChanges(change.added, [], change.reweighed))
        self._is_settled = self._is_settled and not changes

    def known(self) -> Iterable[str]:
        """The ids of the known subscriptions."""
        return self._known

    def source(self, name: str) -> SubscribedItem:
        """The item of a known subscription."""
        return self._known[name][1]

    def forwarded(self) -> Iterable[KnownSubscription]:
        """What goes towards the advertisement's home."""
        if not self._is_settled:
            self._broker.settle()
            self._is_settled = True
        return self._broker.forwarded.values()

    def choose(self, event: Event, count: int | None) -> dict[str, list[str] | int]:
        """The recipients among the known subscriptions, by origin; how many a neighbour has to draw, if it draws."""
        chosen = self._broker.choose(event, (event.k or self.item.advertisement.k) if count is None else count)
        is_drawn = not self._strategy.is_exact(self.item.advertisement.rank)
        return {origin: len(ids) if is_drawn and origin != LOCAL else ids for origin, ids in chosen.items()}

    def origin_of(self, name: str) -> str | None:
        """Where a subscription came from; None if it is not known, or not known any more."""
        known = self._known.get(name)
        return None if known is None else known[0]

    def _judged(self, name: str, item: SubscribedItem) -> tuple[SubscribedItem, bool]:
        """The item, and whether a publication under the advertisement could match it."""
        before = self._forms.get(name)
        return before if before is not None and before[0] is item else (item, self._concerns(item))

    def _concerns(self, item: SubscribedItem) -> bool:
        form: NormalForm = normal_form(item.subscription.where, self._catalog.meaning_of(item.subscription.user))
        return not self._space.disjoint(form)
