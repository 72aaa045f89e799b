"""The knowledge of a broker, for all threads that ask it: what neighbours say, and what they get."""

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from threading import RLock

from rankcast.errors import ModelError, RankcastError
from rankcast.language import encode_event
from rankcast.model import Catalog, Event
from rankcast.overlay import AdvertisedItem, BrokerItem, Knowledge, SubscribedItem, WantsEverything, item_of_json
from rankcast.plain import JsonObject
from rankcast.service.brokers.messages import PublishedEvent, check_broker_name
from rankcast.service.record_costs import check_cost
from rankcast.service.settings import Limits
from rankcast.store import EventRoute, RoutedText
from rankcast.store.texts import event_of

_log = logging.getLogger("rankcast.service.brokers")
_ADVERTISED = '"advertisement"'


class SharedKnowledge:
    """A `Knowledge` behind a lock, which takes what neighbours send as JSON."""

    def __init__(self, knowledge: Knowledge, limits: Limits) -> None:
        self._knowledge = knowledge
        self._limits = limits
        self._lock = RLock()

    def own(self, catalog: Catalog) -> None:
        """Take the broker's own catalog."""
        with self._lock:
            self._knowledge.own(catalog)

    def learn(
        self,
        neighbour: str,
        forms: Mapping[str, JsonObject],
        removed: Sequence[str] = (),
        whole: bool = False,
        keep: Collection[str] = (),
        foreign: frozenset[str] = frozenset(),
    ) -> None:
        """Take what a neighbour said. It must not speak for users and publishers of the `foreign` brokers."""
        items = [item for key, form in forms.items() for item in self._readable(neighbour, key, form, foreign)]
        with self._lock:
            self._knowledge.learn(neighbour, items, removed, whole, keep)

    def order_claims(self, contested: Mapping[str, Sequence[str]]) -> None:
        """Say in which order neighbours came with the keys that several use."""
        with self._lock:
            self._knowledge.order_claims(contested)

    def forget(self, neighbour: str) -> None:
        """Forget a neighbour and all that it sent."""
        with self._lock:
            self._knowledge.forget(neighbour)

    def tell(self, neighbour: str) -> Mapping[str, BrokerItem]:
        """What a neighbour has to know."""
        with self._lock:
            return self._knowledge.tell(neighbour)

    def counts(self, neighbour: str) -> tuple[int, int]:
        """How many subscriptions are known on this side of a link, and how many of them the neighbour has to know."""
        with self._lock:
            told = sum(isinstance(one, SubscribedItem) for one in self._knowledge.tell(neighbour).values())
            return self._knowledge.known_without(neighbour), told

    def choose(self, event: Event) -> EventRoute:
        """Choose the recipients of a publication that was made here under an advertisement."""
        name = f"{self._knowledge.name}/{event.advertisement}"
        with self._lock:
            return EventRoute("", name, self._knowledge.choose(name, event))

    def pass_on(self, sender: str, event: Event, sent: PublishedEvent) -> EventRoute:
        """The recipients here and further on of a publication that a neighbour sent."""
        if event.advertisement is None:
            return EventRoute(sender)
        name = sent.advertisement or f"{sender}/{event.advertisement}"
        with self._lock:
            if not self._knowledge.may_publish(sender, name):
                raise ModelError(f"broker {sender!r} has not advertised {name[:200]!r}, so it cannot publish under it")
            if sent.chosen is not None:
                return EventRoute(sender, name, self._knowledge.locate(name, sent.chosen, sender))
            chosen = self._knowledge.choose(name, event, sent.count or 0)
        return EventRoute(sender, name, {place: ids for place, ids in chosen.items() if place != sender})

    def publication_for(self, neighbour: str, row: RoutedText) -> PublishedEvent | None:
        """An event of the log as it goes to a neighbour; None if it does not concern it."""
        route, event = row.route, _event(row)
        if event is None:
            return None
        form = encode_event(event)
        with self._lock:
            if event.advertisement is None:
                return PublishedEvent(row.offset, form) if self._knowledge.wants(neighbour, event) else None
            if route is None or route.chosen is None:
                return None  # logged before this was a broker
            chosen = route.chosen.get(neighbour, [])
            if not chosen and not self._knowledge.wants_everything(neighbour):
                return None
        if isinstance(chosen, int):
            return PublishedEvent(row.offset, form, route.advertisement, count=chosen)
        return PublishedEvent(row.offset, form, route.advertisement, chosen=list(chosen))

    def _readable(self, neighbour: str, key: str, form: JsonObject, foreign: frozenset[str]) -> list[BrokerItem]:
        """The item, if it can be used. For a subscription that this release cannot read, the neighbour gets everything."""
        try:
            item = item_of_json(form)
            if isinstance(item, SubscribedItem | AdvertisedItem):
                check_broker_name(item.home)
                check_cost(item.subscription if isinstance(item, SubscribedItem) else item.advertisement, self._limits)
                if item.home in foreign:
                    _log.warning("broker %r sent %r of broker %r; it is ignored", neighbour, key[:200], item.home)
                    return []
        except RankcastError as error:
            _log.warning("the item %r of broker %r cannot be used: %s", key[:200], neighbour, error)
            return [WantsEverything()] if "subscription" in form else []
        return [item]


def advertised_event(row: RoutedText) -> Event | None:
    """The event of a row if it is under an advertisement. Most are not, and need not be decoded."""
    event = _event(row) if _ADVERTISED in row.content else None
    return event if event is not None and event.advertisement is not None else None


def _event(row: RoutedText) -> Event | None:
    """The event of a row; None if it cannot be read, such as one of another release. The others go on."""
    with suppress(RankcastError):
        return event_of(row.content, row.offset)
    _log.warning("event %d of the log cannot be read, and stays here", row.offset)
    return None
