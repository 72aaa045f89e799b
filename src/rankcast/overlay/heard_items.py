"""What the neighbours of a broker have sent, and which of them came first with each item."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rankcast.overlay.items import BrokerItem, SubscribedItem


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
