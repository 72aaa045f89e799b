"""What brokers tell each other: advertisements, the subscriptions that a neighbour has to know, and who said it first."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.errors import ModelError
from rankcast.language import decode_record, encode_record
from rankcast.model import Advertisement, Concept, Subscription
from rankcast.overlay.strategies import STRATEGIES
from rankcast.plain import JsonObject

PLAIN = ""
"""Stands for events without an advertisement where the key of an advertisement is expected."""

EVERYTHING = "all"
"""The key of `WantsEverything`."""

_MOST_CONCEPTS = 1_000
_MOST_WEIGHT = 10**12


@dataclass(frozen=True)
class AdvertisedItem:
    """An advertisement, the broker where it was made, and the strategy by which brokers forward for it.

    `concepts` has the meanings of the words that its space names, as its home defines them.
    """

    advertisement: Advertisement
    home: str
    strategy: str
    concepts: tuple[Concept, ...] = ()

    @property
    def name(self) -> str:
        """What identifies the advertisement in the tree: two brokers may use the same id."""
        return f"{self.home}/{self.advertisement.id}"

    @property
    def key(self) -> str:
        """What identifies the item."""
        return f"a/{self.name}"

    def to_json(self) -> JsonObject:
        """The item as JSON."""
        return {
            "advertisement": encode_record(self.advertisement),
            "home": self.home,
            "strategy": self.strategy,
            "concepts": [encode_record(one) for one in self.concepts],
        }


@dataclass(frozen=True)
class SubscribedItem:
    """A subscription, and what it is needed for: the names of advertisements or `PLAIN`, with its weight for each.

    Its user is a hash of the user's name, an ``@``, and the name of the broker where the user is.
    `concepts` has the meanings of the words that it names, so that any broker can match it.
    """

    subscription: Subscription
    needs: tuple[tuple[str, int], ...] = ()
    concepts: tuple[Concept, ...] = ()

    @property
    def key(self) -> str:
        """What identifies the item."""
        return f"s/{self.subscription.id}"

    @property
    def home(self) -> str:
        """The broker where the user is."""
        return self.subscription.user.rpartition("@")[2]

    def to_json(self) -> JsonObject:
        """The item as JSON."""
        return {
            "subscription": encode_record(self.subscription),
            "for": dict(self.needs),
            "concepts": [encode_record(one) for one in self.concepts],
        }


@dataclass(frozen=True)
class WantsEverything:
    """Some user counts published events, so the broker wants every publication, even if nobody of it receives it."""

    @property
    def key(self) -> str:
        """What identifies the item."""
        return EVERYTHING

    def to_json(self) -> JsonObject:
        """The item as JSON."""
        return {"all": True}


BrokerItem: TypeAlias = AdvertisedItem | SubscribedItem | WantsEverything


def key_of(form: JsonObject) -> str:
    """The key of an item, even if the item itself cannot be read.

    >>> key_of({"subscription": {"id": "s1"}, "of a later release": 1})
    's/s1'
    """
    match form:
        case {"subscription": {"id": str(name)}}:
            return f"s/{name}"
        case {"advertisement": {"id": str(name)}, "home": str(home)}:
            return f"a/{home}/{name}"
        case {"all": True}:
            return EVERYTHING
    raise ModelError("an item must be a subscription, an advertisement or 'all'")


def item_of_json(form: JsonObject) -> BrokerItem:
    """The item that a neighbour sent; raises ModelError if it is not one.

    >>> item_of_json({"all": True})
    WantsEverything()
    >>> item_of_json({"subscription": {}, "for": {"": 0}})
    Traceback (most recent call last):
    ...
    rankcast.errors.ModelError: 'for' must map advertisements to weights from 1 on
    """
    match form:
        case {"all": True, **others} if not others:
            return WantsEverything()
        case {"subscription": Mapping() as record, "for": Mapping() as needs, **others}:
            concepts = _concepts(others)
            if not all(isinstance(weight, int) and 1 <= weight <= _MOST_WEIGHT for weight in needs.values()):
                raise ModelError("'for' must map advertisements to weights from 1 on")
            subscription = decode_record(dict(record))
            if isinstance(subscription, Subscription):
                _check_owner(concepts, subscription.user)
                return SubscribedItem(subscription, tuple(sorted(needs.items())), concepts)
        case {"advertisement": Mapping() as record, "home": str(home), "strategy": str(strategy), **others}:
            concepts = _concepts(others)
            advertisement = decode_record(dict(record))
            if strategy not in STRATEGIES or not STRATEGIES[strategy].is_top_k:
                raise ModelError(f"there is no top-k strategy {strategy[:60]!r}")
            if isinstance(advertisement, Advertisement):
                _check_owner(concepts, None)
                return AdvertisedItem(advertisement, home, strategy, concepts)
    raise ModelError("an item must be a subscription, an advertisement or 'all'")


def _check_owner(concepts: tuple[Concept, ...], user: str | None) -> None:
    """Refuse meanings of another user's words: items of all users are judged together."""
    if any(one.user != user for one in concepts):
        raise ModelError("the concepts of an item must be those of its user")


def _concepts(others: Mapping[str, object]) -> tuple[Concept, ...]:
    given = others.get("concepts", [])
    if set(others) - {"concepts"} or not isinstance(given, list) or len(given) > _MOST_CONCEPTS:
        raise ModelError(f"an item has unknown fields, or more than {_MOST_CONCEPTS:,} concepts")
    made = tuple(decode_record(one) for one in given if isinstance(one, dict))
    if len(made) < len(given) or not all(isinstance(one, Concept) for one in made):
        raise ModelError("'concepts' must be a list of concepts")
    return tuple(one for one in made if isinstance(one, Concept))


class HeardItems:
    """The items of each neighbour, by key. If several send the same key, the first keeps it until it takes it back.

    >>> from rankcast.overlay.items import WantsEverything
    >>> heard = HeardItems()
    >>> heard.learn("edge", [WantsEverything()]), heard.first("all"), heard.first("s/s1")
    (1, 'edge', None)
    """

    def __init__(self) -> None:
        self._items: dict[str, dict[str, BrokerItem]] = {}
        self._claims: dict[str, list[str]] = {}

    def learn(
        self,
        neighbour: str,
        put: Iterable[BrokerItem],
        removed: Iterable[str] = (),
        whole: bool = False,
        keep: Collection[str] = (),
    ) -> int:
        """Take changes; `whole` replaces all that the neighbour sent before, except `keep`. Counts what is new."""
        known, new = self._items.setdefault(neighbour, {}), {item.key: item for item in put}
        for key in [key for key in known if key not in new and key not in keep] if whole else removed:
            if known.pop(key, None) is not None:
                self._unclaim(key, neighbour)
        changed = 0
        for key, item in new.items():
            if key not in known:
                self._claims.setdefault(key, []).append(neighbour)
            changed += known.get(key) != item
            known[key] = item
        return changed

    def forget(self, neighbour: str) -> None:
        """Forget a neighbour and all that it sent."""
        for key in self._items.pop(neighbour, {}):
            self._unclaim(key, neighbour)

    def order(self, contested: Mapping[str, Sequence[str]]) -> None:
        """Say in which order neighbours came with the keys that several use."""
        for key, neighbours in contested.items():
            known = self._claims.get(key, [])
            known[:] = [*(one for one in neighbours if one in known), *(one for one in known if one not in neighbours)]

    def neighbours(self) -> list[str]:
        """The neighbours that have sent something."""
        return list(self._items)

    def of(self, neighbour: str) -> Mapping[str, BrokerItem]:
        """What a neighbour has sent, by key."""
        return self._items.get(neighbour, {})

    def all(self) -> Iterator[BrokerItem]:
        """All items of all neighbours."""
        return (item for items in self._items.values() for item in items.values())

    def claims(self, key: str) -> Sequence[str]:
        """The neighbours that sent a key, the first one first."""
        return self._claims.get(key, [])

    def first(self, key: str) -> str | None:
        """The neighbour that came first with a key; None if no neighbour sends it."""
        return next(iter(self.claims(key)), None)

    def firsts(self) -> Iterator[tuple[str, BrokerItem]]:
        """Each key's first neighbour, with its item."""
        return ((first, self._items[first][key]) for key, (first, *_) in self._claims.items())

    def subscribed(self, need: str, but: str) -> Iterator[tuple[str, SubscribedItem, int]]:
        """What neighbours other than one sent for a need: the neighbour, the subscription and its weight."""
        for neighbour in self._items:
            if neighbour != but:
                for item in needed(self.of(neighbour).values(), need):
                    first = next(one for one in self._claims[item.key] if one != but)
                    if neighbour == first:
                        yield neighbour, item, dict(item.needs)[need]

    def _unclaim(self, key: str, neighbour: str) -> None:
        self._claims[key].remove(neighbour)
        if not self._claims[key]:
            del self._claims[key]


def needed(items: Iterable[BrokerItem], need: str) -> Iterator[SubscribedItem]:
    """The subscriptions among some items that are needed for an advertisement, or for `PLAIN` events."""
    return (one for one in items if isinstance(one, SubscribedItem) and any(name == need for name, _ in one.needs))
