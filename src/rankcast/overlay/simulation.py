"""A simulated tree of brokers: subscriptions travel up, publications down, and every message is counted.

See semantics: Producer-side top-k.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rankcast.cover import normal_form
from rankcast.errors import CatalogError, ModelError
from rankcast.model import Advertisement, Catalog, Event, ScorerName, Subscription
from rankcast.overlay.broker import LOCAL, Broker, ForwardingChanges
from rankcast.overlay.order import KnownSubscription
from rankcast.overlay.publications import advertisement_of, check_publication
from rankcast.overlay.strategies import Strategy, is_concerned, order_of
from rankcast.overlay.traffic import BrokerMessage, Links, Traffic
from rankcast.overlay.tree import Tree


@dataclass(frozen=True, slots=True)
class PublicationTrace:
    """The path of a publication: the subscriptions it was delivered to, sorted, and the visited brokers, in order."""

    recipients: tuple[str, ...]
    visited: tuple[str, ...]


class _Serving:
    """All brokers' parts in serving one advertisement."""

    def __init__(self, catalog: Catalog, advertisement: Advertisement, at: str, tree: Tree, strategy: Strategy) -> None:
        self.advertisement = advertisement
        self.at = at
        self.strategy = strategy
        self.upstream = tree.towards(at)
        self._catalog = catalog
        self._space = normal_form(advertisement.where, catalog.membership)
        order = order_of(catalog, advertisement, strategy)
        self.brokers = {name: Broker(name, catalog, advertisement, strategy, order) for name in tree.brokers}
        self.stale: set[str] = set()

    def concerns(self, subscription: Subscription) -> bool:
        return is_concerned(self._space, subscription, self._catalog.meaning_of)

    def judge_anew(self) -> None:
        """Drop all cached scores, because preference scores have changed."""
        order = order_of(self._catalog, self.advertisement, self.strategy)
        for broker in self.brokers.values():
            broker.judge(order)
        self.stale |= set(self.brokers)


class Overlay:
    """Brokers that serve advertisements to subscribers, simulated in one process.

    Parameters
    ----------
    tree
        The brokers and their links.
    catalog
        Provides concepts, preferences and policies. The overlay adds the subscriptions and advertisements to it.
    weights_travel
        The weights of a fair strategy travel with subscriptions only, as in the paper: what upstream knows about them
        is stale until the next subscription passes. By default a changed weight is a message of its own.

    A subscription goes over a link once, whatever the number of advertisements that need it (see `Links`). A change
    travels towards each publisher until a broker forwards nothing new; each broker on the way computes its forwarding
    again. Several changes made together cost this once. A publication costs a match over the subscriptions known to
    each visited broker. Covering is defined for crisp events, so publications must be crisp.

    >>> from datetime import UTC, datetime
    >>> from rankcast.language import parse
    >>> from rankcast.overlay.strategies import AncestorCoverK
    >>> overlay = Overlay(Tree([("b1", "b2"), ("b1", "b3")]))
    >>> overlay.advertise(Advertisement("a1", "shop", parse("price between 0 and 100"), 1), "b1", AncestorCoverK())
    >>> overlay.subscribe(Subscription("s1", "ann", parse("price < 50")), "b2")
    >>> overlay.subscribe(Subscription("s2", "bob", parse("price < 20")), "b2")
    >>> overlay.subscribe(Subscription("s3", "cid", parse("price < 70")), "b3")
    >>> overlay.publish(Event("e1", datetime(2026, 1, 1, tzinfo=UTC), {"price": (10,)}, advertisement="a1"))
    PublicationTrace(recipients=('s3',), visited=('b1', 'b3'))
    >>> overlay.traffic.total(BrokerMessage.SUBSCRIBE), overlay.known("a1", "b1")
    (2, ('s1', 's3'))
    """

    def __init__(self, tree: Tree, catalog: Catalog | None = None, weights_travel: bool = False) -> None:
        self.tree = tree
        self.traffic = Traffic()
        self._links = Links(self.traffic)
        self._weights_travel = weights_travel
        self._catalog = catalog if catalog is not None else Catalog()
        self._served: dict[str, _Serving] = {}
        self._home: dict[str, str] = {}

    # advertisements

    def advertise(self, advertisement: Advertisement, at: str, strategy: Strategy) -> None:
        """Flood an advertisement from the publisher's broker; the subscriptions it concerns are forwarded there."""
        if advertisement.id not in self._catalog.advertisements:
            self._catalog.add(advertisement)
        if advertisement.id in self._served:
            raise CatalogError(f"advertisement {advertisement.id!r} is being served already")
        self._served[advertisement.id] = self._serving(advertisement, at, strategy)
        self._flood(at, BrokerMessage.ADVERTISEMENT)
        self._settle()

    def withdraw(self, name: str) -> None:
        """Flood that an advertisement is withdrawn. Each broker drops the subscriptions that only it needed."""
        serving = self._serves(name)
        self._flood(serving.at, BrokerMessage.WITHDRAWAL)
        self._links.forget(name)
        del self._served[name]
        self._catalog.remove(serving.advertisement)

    def change(self, advertisement: Advertisement, strategy: Strategy | None = None) -> None:
        """Flood a changed advertisement, and optionally serve it by another strategy; forwarding follows.

        Only what brokers forward in addition is sent, and what they no longer forward is taken back.
        """
        before = self._serves(advertisement.id)
        self._catalog.put(advertisement)
        after = self._serving(advertisement, before.at, strategy or before.strategy)
        self._served[advertisement.id] = after
        self._flood(before.at, BrokerMessage.ADVERTISEMENT)
        self._settle()
        for below, above in after.upstream.items():
            old, new = before.brokers[below].forwarded, after.brokers[below].forwarded
            self._links.take_back(below, above, advertisement.id, [one for one in old if one not in new])
            if not self._weights_travel:
                reweighed = sum(old[one].weight != known.weight for one, known in new.items() if one in old)
                self.traffic.count(below, above, BrokerMessage.REWEIGH, reweighed)

    # subscriptions

    def subscribe(self, subscription: Subscription, at: str) -> None:
        """Add a subscription at a broker."""
        self.subscribe_all([(subscription, at)])

    def subscribe_all(self, placed: Iterable[tuple[Subscription, str]]) -> None:
        """Add many subscriptions, each at its broker, and forward them together."""
        for subscription, at in placed:
            if at not in self.tree.neighbours:
                raise ModelError(f"there is no broker {at!r}")
            self._catalog.add(subscription)
            self._home[subscription.id] = at
            for serving in self._served.values():
                self._place(serving, subscription, at)
            self._judge_anew(bool(self._catalog.preferences_of(subscription.user)))
        self._settle()

    def unsubscribe(self, name: str) -> None:
        """Remove a subscription."""
        if name not in self._home:
            raise CatalogError(f"there is no subscription {name!r}")
        subscription, at = self._catalog.subscriptions[name], self._home.pop(name)
        had_levels = bool(self._catalog.preferences_of(subscription.user))
        self._catalog.remove(subscription)
        self._judge_anew(had_levels)
        for serving in self._served.values():
            if serving.concerns(subscription):
                serving.brokers[at].receive(LOCAL, ForwardingChanges([], [name], []))
                serving.stale.add(at)
        self._settle()

    def broker(self, advertisement: str, name: str) -> Broker:
        """One broker's part in serving an advertisement."""
        return self._serves(advertisement).brokers[name]

    def known(self, advertisement: str, at: str) -> tuple[str, ...]:
        """The subscriptions that a broker knows for an advertisement, sorted."""
        return tuple(sorted(known.subscription.id for known in self.broker(advertisement, at).known()))

    def weights(self, advertisement: str, at: str) -> dict[str, int]:
        """How many subscriptions each of those that a broker knows stands for."""
        return {known.subscription.id: known.weight for known in self.broker(advertisement, at).known()}

    # publications

    def publish(self, event: Event) -> PublicationTrace:
        """Route a publication from its publisher's broker to the chosen subscribers."""
        if event.advertisement is None:
            raise ModelError(f"event {event.id!r} has no advertisement, so no broker knows whom to choose")
        check_publication(self._catalog, event)
        if not all(isinstance(value, tuple) for value in event.attributes.values()):
            raise ModelError(f"event {event.id!r} has imprecise values; brokers compare subscriptions by crisp ones")
        serving = self._serves(event.advertisement)
        recipients: list[str] = []
        visited: list[str] = []
        pending = [(serving.at, serving.brokers[serving.at].choose(event, event.k or serving.advertisement.k))]
        while pending:
            at, chosen = pending.pop(0)
            visited.append(at)
            recipients += chosen.pop(LOCAL, [])
            for neighbour, ids in chosen.items():
                self.traffic.count(at, neighbour, BrokerMessage.PUBLICATION)
                below = serving.brokers[neighbour]
                again = not serving.strategy.is_top_k or not serving.strategy.is_exact(serving.advertisement.rank)
                pending.append((neighbour, below.choose(event, len(ids)) if again else below.by_origin(ids)))
        return PublicationTrace(tuple(sorted(recipients)), tuple(visited))

    # inside

    def _serves(self, advertisement: str) -> _Serving:
        advertisement_of(self._catalog, advertisement)
        if advertisement not in self._served:
            raise CatalogError(f"advertisement {advertisement!r} is not being served; call advertise first")
        return self._served[advertisement]

    def _flood(self, at: str, kind: BrokerMessage) -> None:
        for below, above in self.tree.towards(at).items():
            self.traffic.count(above, below, kind)

    def _serving(self, advertisement: Advertisement, at: str, strategy: Strategy) -> _Serving:
        serving = _Serving(self._catalog, advertisement, at, self.tree, strategy)
        for name, home in self._home.items():
            self._place(serving, self._catalog.subscriptions[name], home)
        return serving

    def _place(self, serving: _Serving, subscription: Subscription, at: str) -> None:
        if serving.concerns(subscription):
            serving.brokers[at].receive(LOCAL, ForwardingChanges([KnownSubscription(subscription)], [], []))
            serving.stale.add(at)

    def _judge_anew(self, has_levels: bool) -> None:
        """Drop cached scores: adding or removing a subscription may change the levels of its user's others."""
        for serving in self._served.values():
            if has_levels and serving.advertisement.score is ScorerName.PREFERENCE:
                serving.judge_anew()

    def _settle(self) -> None:
        """Forward all changes, starting with the brokers farthest from each publisher."""
        for name, serving in self._served.items():
            for at in reversed(serving.upstream):
                if at not in serving.stale:
                    continue
                serving.stale.discard(at)
                changes = serving.brokers[at].settle(self._weights_travel)
                if changes:
                    above = serving.upstream[at]
                    self._links.send(at, above, name, [known.subscription.id for known in changes.added])
                    self._links.take_back(at, above, name, changes.removed)
                    if not self._weights_travel:
                        self.traffic.count(at, above, BrokerMessage.REWEIGH, len(changes.reweighed))
                    serving.brokers[above].receive(at, changes)
                    serving.stale.add(above)
            serving.stale.clear()
