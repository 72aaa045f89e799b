"""What one running broker knows: its own catalog and what its neighbours told it. It decides what each neighbour has to
know, and who receives a publication.

See semantics: Producer-side top-k. The decisions are those of `Broker` and of the strategies, as in the simulation.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from rankcast.cover import normal_form
from rankcast.model import Always, Catalog, Concept, Event, Expression, Mode, Ranking, Subscription, Unit, predicates_of
from rankcast.model.predicates import Is
from rankcast.overlay.broker import LOCAL, Broker, ForwardingChanges
from rankcast.overlay.items import (
    PLAIN,
    AdvertisedItem,
    BrokerItem,
    HeardItems,
    SubscribedItem,
    WantsEverything,
    needed,
)
from rankcast.overlay.order import KnownSubscription, Order, Standing
from rankcast.overlay.recipients import Finder
from rankcast.overlay.scorers import PreferenceScore, Weight
from rankcast.overlay.strategies import STRATEGIES, RegularCover, is_concerned, order_of


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
        order = order_of(catalog, item.advertisement, self._strategy)
        self._broker = Broker(name, catalog, item.advertisement, self._strategy, order)
        self._known: dict[str, tuple[str, SubscribedItem, KnownSubscription]] = {}
        self._forms: dict[str, tuple[SubscribedItem, bool]] = {}
        self._is_settled = True

    def update(self, own: Mapping[str, SubscribedItem], others: Iterable[tuple[str, SubscribedItem, int]]) -> None:
        """Take what is known now: own subscriptions, and those of neighbours with their weights.

        Of subscriptions with the same id, an own one counts.
        """
        found: dict[str, tuple[str, SubscribedItem, int]] = {}
        self._forms = {name: self._judged(name, item) for name, item in own.items()}
        for name, (item, takes_part) in self._forms.items():
            if takes_part:
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
        if before is not None and before[0] is item:
            return before
        return item, is_concerned(self._space, item.subscription, self._catalog.meaning_of)


class Knowledge:
    """The knowledge of one broker. Not thread-safe.

    Parameters
    ----------
    name
        The broker's name in the tree.
    strategy_of
        The name of the strategy for an advertisement that is made here, by its id.

    The ids of subscriptions are unique in the tree. If several neighbours send the same id, it belongs to the neighbour
    that sent it first, until that one takes it back. So a user can move to another broker, and no broker can displace
    the subscription of another one.

    >>> from rankcast.language import parse
    >>> root, edge = Knowledge("root"), Knowledge("edge")
    >>> edge.own(Catalog([Subscription("s1", "ann", parse("x > 1")), Subscription("s2", "bob", parse("x > 2"))]))
    >>> sorted(edge.tell("root"))
    ['s/s1']
    """

    def __init__(self, name: str, strategy_of: Callable[[str], str] = lambda advertisement: "ancestor-cover") -> None:
        self.name = name
        self.generation = 0
        """Increased with each change, so that readers see whether `tell` may have another result."""
        self._strategy_of = strategy_of
        self._sources: dict[str, tuple[Subscription, float | None, tuple[Concept, ...]]] = {}
        self._own: dict[str, SubscribedItem] = {}
        self._advertised: dict[str, AdvertisedItem] = {}
        self._counts_events = False
        self._heard = HeardItems()
        self._served: dict[str, ServedAdvertisement] = {}
        self._served_at = -1
        self._concepts: dict[tuple[str, str, str | None], Concept] = {}
        self._finders: dict[str, Finder] = {}
        self._told: dict[str, tuple[int, dict[str, BrokerItem]]] = {}
        self._cover = RegularCover()
        self._order = self._new_order()
        self._changed = 0

    # what it learns

    def own(self, catalog: Catalog) -> None:
        """Take the broker's own catalog: the subscriptions, advertisements and policies of its users.

        A subscription that no event can match is left out.
        """
        preferred, everything = PreferenceScore(catalog), normal_form(Always(), catalog.membership)
        sources, items = self._sources, self._own
        self._sources, self._own = {}, {}
        for name, one in catalog.subscriptions.items():
            score = preferred.fixed(one)[0] if catalog.preferences_of(one.user) else one.score
            user = f"{blake2b(one.user.encode(), digest_size=8).hexdigest()}@{self.name}"
            source = (one, score, _meanings(catalog, one.where, one.user, user))
            self._sources[name] = source
            if sources.get(name) != source:
                if is_concerned(everything, one, catalog.meaning_of):
                    self._own[name] = SubscribedItem(replace(one, user=user, score=score), concepts=source[2])
                    self._changed += 1
            elif name in items:
                self._own[name] = items[name]
        self._advertised = {}
        for advertisement in catalog.advertisements.values():
            meanings = _meanings(catalog, advertisement.where, None, None)
            item = AdvertisedItem(advertisement, self.name, self._strategy_of(advertisement.id), meanings)
            self._advertised[item.name] = item
        users = set(catalog.users())
        self._counts_events = any(_counts_events(catalog, user) for user in users & catalog.policies.keys())
        self._touch()

    def learn(
        self,
        neighbour: str,
        put: Iterable[BrokerItem],
        removed: Iterable[str] = (),
        whole: bool = False,
        keep: Collection[str] = (),
    ) -> None:
        """Take the changes that a neighbour sent; `whole` replaces all that it sent before, except `keep`."""
        self._changed += self._heard.learn(neighbour, put, removed, whole, keep)
        self._finders.pop(neighbour, None)
        self._touch()

    def forget(self, neighbour: str) -> None:
        """Forget a neighbour and all that it sent."""
        self._heard.forget(neighbour)
        self._finders.pop(neighbour, None)
        self._told.pop(neighbour, None)
        self._touch()

    def order_claims(self, contested: Mapping[str, Sequence[str]]) -> None:
        """Say in which order neighbours came with the keys that several use. A broker that starts again needs this."""
        self._heard.order(contested)
        self._touch()

    # what it tells

    def tell(self, neighbour: str) -> Mapping[str, BrokerItem]:
        """All that a neighbour has to know, by key."""
        if self._told.get(neighbour, (-1,))[0] != self.generation:
            self._told[neighbour] = self.generation, self._items_for(neighbour)
        return self._told[neighbour][1]

    @property
    def advertisements(self) -> Mapping[str, AdvertisedItem]:
        """All advertisements in the tree, by name."""
        return {name: served.item for name, served in self._serving().items()}

    def known_without(self, neighbour: str) -> int:
        """The number of subscriptions known on this side of the link to a neighbour, for whatever they are needed."""
        others = {
            item.key
            for name in self._heard.neighbours()
            if name != neighbour
            for item in self._heard.of(name).values()
            if isinstance(item, SubscribedItem)
        }
        return len(others | {item.key for item in self._own.values()})

    def known(self, advertisement: str) -> tuple[str, ...]:
        """The subscriptions that the broker knows for an advertisement, by its name in the tree, sorted."""
        served = self._serving().get(advertisement)
        return () if served is None else tuple(sorted(served.known()))

    # who receives a publication

    def wants(self, neighbour: str, event: Event) -> bool:
        """Whether an event without an advertisement goes to a neighbour.

        An event with imprecise values goes wherever there is any subscription, because covering is for crisp values.
        """
        items = self._heard.of(neighbour)
        if self.wants_everything(neighbour):
            return True
        if neighbour not in self._finders:
            plain = [one.subscription for one in needed(items.values(), PLAIN)]
            self._finders[neighbour] = Finder(plain, self._catalog())
        if not all(isinstance(value, tuple) for value in event.attributes.values()):
            return any(True for _ in needed(items.values(), PLAIN))
        return bool(self._finders[neighbour].match(event))

    def wants_everything(self, neighbour: str) -> bool:
        """Whether a neighbour wants every publication."""
        return WantsEverything().key in self._heard.of(neighbour)

    def choose(self, advertisement: str, event: Event, count: int | None = None) -> dict[str, list[str] | int]:
        """Choose the recipients of a publication: subscriptions by the neighbour they came from, `LOCAL` for own ones.

        If the strategy is not exact, a neighbour gets how many it has to draw, and `count` is how many the neighbour
        that sent the publication has drawn here. An own subscription occurs as often as it was drawn. Under an
        advertisement that is not known there are no recipients.
        """
        served = self._serving().get(advertisement)
        return {} if served is None else served.choose(event, count)

    def locate(self, advertisement: str, ids: Sequence[str], sender: str) -> dict[str, list[str]]:
        """The recipients that a neighbour has chosen, by the neighbour they came from.

        While the publication was on its way, one may have been unsubscribed, or hidden behind others, or the
        advertisement was withdrawn. So one that is not known any more may be behind any other neighbour.
        """
        served = self._serving().get(advertisement)
        others = [one for one in self._heard.neighbours() if one != sender]
        found: dict[str, list[str]] = {}
        for name in ids:
            origin = None if served is None else served.origin_of(name)
            origin = self._origin(name) if origin is None else origin
            for place in others if origin is None else [origin]:
                found.setdefault(place, []).append(name)
        found.pop(sender, None)  # its user has moved there
        return found

    def may_publish(self, neighbour: str, advertisement: str) -> bool:
        """Whether a publication under an advertisement may come from a neighbour: from where it was advertised.

        Nobody advertises it any more if it was withdrawn while the publication was on its way.
        """
        claims = self._heard.claims(f"a/{advertisement}")
        return neighbour in claims or not (claims or advertisement.startswith(f"{self.name}/"))

    # inside

    def _touch(self) -> None:
        self.generation += 1
        concepts = {
            (concept.attribute, concept.name, concept.user): concept
            for item in (*self._own.values(), *self._heard.all())
            if isinstance(item, SubscribedItem)
            for concept in item.concepts
        }
        if concepts != self._concepts or self._changed > 1_000 + 2 * self._size():
            # New meanings; or the orders remember too many subscriptions that are gone.
            self._concepts, self._changed = concepts, 0
            self._served, self._finders, self._order = {}, {}, self._new_order()

    def _size(self) -> int:
        return len(self._own) + sum(len(self._heard.of(one)) for one in self._heard.neighbours())

    def _catalog(self, shared: Iterable[Concept] = ()) -> Catalog:
        return Catalog([*self._concepts.values(), *shared])

    def _new_order(self) -> Order:
        return Order(Standing.COVER, Ranking.RELEVANCE, Weight(), self._catalog().meaning_of)

    def _origin(self, name: str) -> str | None:
        return LOCAL if name in self._own else self._heard.first(f"s/{name}")

    def _serving(self) -> dict[str, ServedAdvertisement]:
        """All advertisements with what is known for them, up to date."""
        if self._served_at == self.generation:
            return self._served
        present: dict[str, tuple[str, AdvertisedItem]] = {name: (LOCAL, one) for name, one in self._advertised.items()}
        for first, item in self._heard.firsts():
            if isinstance(item, AdvertisedItem) and item.home != self.name:
                present[item.name] = first, item
        self._served = {name: one for name, one in self._served.items() if present.get(name) == (one.origin, one.item)}
        for name, (origin, item) in present.items():
            served = self._served.get(name)
            if served is None:
                served = ServedAdvertisement(self.name, item, origin, self._catalog(item.concepts))
                self._served[name] = served
            served.update(self._own, self._heard.subscribed(name, origin))
        self._served_at = self.generation
        return self._served

    def _items_for(self, neighbour: str) -> dict[str, BrokerItem]:
        items: dict[str, BrokerItem] = {}
        subscribed = dict(self._own)
        for _, item, _ in self._heard.subscribed(PLAIN, neighbour):
            subscribed.setdefault(item.subscription.id, item)
        plain = self._cover.forward(
            (KnownSubscription(one.subscription) for one in subscribed.values()), self._order, 1
        )
        needs: dict[str, dict[str, int]] = {known.subscription.id: {PLAIN: 1} for known in plain}
        for name, served in self._serving().items():
            if served.origin != neighbour:
                items[served.item.key] = served.item
                continue
            for known in served.forwarded():
                needs.setdefault(known.subscription.id, {})[name] = known.weight
                subscribed.setdefault(known.subscription.id, served.source(known.subscription.id))
        for name, weights in needs.items():
            item = replace(subscribed[name], needs=tuple(sorted(weights.items())))
            items[item.key] = item
        others = (one for one in self._heard.neighbours() if one != neighbour)
        if self._counts_events or any(map(self.wants_everything, others)):
            items[WantsEverything().key] = WantsEverything()
        return items


def _meanings(catalog: Catalog, where: Expression, user: str | None, named: str | None) -> tuple[Concept, ...]:
    """The concepts that an expression names, as a user means them, under another name of the user."""
    found: dict[tuple[str, str], Concept] = {}
    for predicate in predicates_of(where):
        if isinstance(predicate.test, Is):
            term = predicate.test.term
            membership = catalog.membership(predicate.attribute, term, user)
            concept = Concept(term.concept, predicate.attribute, membership, named)
            found[predicate.attribute, term.concept] = concept
    return tuple(found.values())


def _counts_events(catalog: Catalog, user: str) -> bool:
    """Whether a user's window or period counts published events, whether or not they match."""
    policy = catalog.policies[user]
    return policy.mode is not Mode.ALL and policy.length is not None and policy.length.unit is Unit.EVENTS
