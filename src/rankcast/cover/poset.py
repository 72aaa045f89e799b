"""Partially ordered subscriptions: which ones cover which."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar, overload

from rankcast.cover.literals import Meaning
from rankcast.cover.normal import NormalForm, normal_form
from rankcast.errors import ModelError
from rankcast.model import Expression

Element = TypeVar("Element")


class _Place:
    """The place of equal elements: their keys, one of the elements, and all places above and below."""

    __slots__ = ("above", "below", "element", "keys")

    def __init__(self, element: object) -> None:
        self.element = element
        self.keys: dict[str, None] = {}
        self.above: dict[_Place, None] = {}
        self.below: dict[_Place, None] = {}


class Poset(Generic[Element]):
    """Elements under keys, ordered by `covers`: a is above b if and only if a covers b and b does not cover a.

    Elements that cover each other are *equal* and share one place. Every answer lists keys in the order in which they
    were added. `add` calls `covers` at most twice per place; `remove` costs O(places); the rest O(places above or
    below).

    Parameters
    ----------
    covers
        The order, which must be transitive. By default the covering of expressions (`rankcast.cover.covers`).
    meaning
        The meaning of concepts, for the default order.

    Examples
    --------
    >>> from rankcast.language import parse
    >>> poset = Poset()
    >>> for key, text in {"s1": "x > 1", "s2": "x > 2", "s3": "x > 3 and y = 1", "s4": "x > 2"}.items():
    ...     poset.add(key, parse(text))
    >>> poset.roots(), poset.children("s1"), poset.equals("s2"), poset.depth("s3")
    (('s1',), ('s2', 's4'), ('s2', 's4'), 3)
    """

    @overload
    def __init__(self: "Poset[Expression]", *, meaning: Meaning | None = None) -> None: ...

    @overload
    def __init__(self, covers: Callable[[Element, Element], bool]) -> None: ...

    def __init__(
        self, covers: Callable[[Element, Element], bool] | None = None, *, meaning: Meaning | None = None
    ) -> None:
        self._covers: Callable[[Any, Any], bool] = covers or NormalForm.covers
        self._prepared: Callable[[Any], Any] = (
            (lambda element: element) if covers else (lambda expression: normal_form(expression, meaning))
        )
        self._places: dict[_Place, None] = {}
        self._place_of: dict[str, _Place] = {}
        self._position: dict[str, int] = {}
        self._added = 0
        self._depths: dict[_Place, int] = {}

    def __len__(self) -> int:
        return len(self._place_of)

    def __iter__(self) -> Iterator[str]:
        return iter(self._place_of)

    def __contains__(self, key: object) -> bool:
        return key in self._place_of

    # changing

    def add(self, key: str, element: Element) -> None:
        """Add an element under a new key."""
        if key in self._place_of:
            raise ModelError(f"{key!r} is in the poset already")
        new = _Place(self._prepared(element))
        place = self._related(new)
        if place is new:
            self._insert(new)
        self._added += 1
        self._position[key] = self._added
        self._place_of[key] = place
        place.keys[key] = None

    def remove(self, key: str) -> None:
        """Remove an element; the elements above it stay above those below it."""
        place = self._at(key)
        del self._place_of[key], self._position[key], place.keys[key]
        if not place.keys:
            for other in place.above:
                del other.below[place]
            for other in place.below:
                del other.above[place]
            del self._places[place]
            self._depths.clear()

    # reading

    def roots(self) -> tuple[str, ...]:
        """The keys with nothing above them."""
        return self._keys(place for place in self._places if not place.above)

    def equals(self, key: str) -> tuple[str, ...]:
        """The keys in the same place, including itself."""
        return self._keys([self._at(key)])

    def ancestors(self, key: str) -> tuple[str, ...]:
        """All keys above it."""
        return self._keys(self._at(key).above)

    def descendants(self, key: str) -> tuple[str, ...]:
        """All keys below it."""
        return self._keys(self._at(key).below)

    def parents(self, key: str) -> tuple[str, ...]:
        """The keys directly above it, with nothing in between."""
        above = self._at(key).above
        return self._keys(place for place in above if above.keys().isdisjoint(place.below))

    def children(self, key: str) -> tuple[str, ...]:
        """The keys directly below it, with nothing in between."""
        below = self._at(key).below
        return self._keys(place for place in below if below.keys().isdisjoint(place.above))

    def depth(self, key: str) -> int:
        """The length of the longest chain from a root down to it; 1 for a root."""
        place = self._at(key)
        if place not in self._depths:
            # A place has fewer places above it than those below it have, so this order visits it first.
            for each in sorted((*place.above, place), key=lambda each: len(each.above)):
                self._depths[each] = 1 + max((self._depths[above] for above in each.above), default=0)
        return self._depths[place]

    def most_specific(self, keys: Iterable[str] | None = None) -> tuple[str, ...]:
        """The given keys (by default all) that are not above another of them (semantics: Preference)."""
        given = dict.fromkeys(self._place_of if keys is None else keys)
        places = {self._at(key): None for key in given}
        kept = {place for place in places if places.keys().isdisjoint(place.below)}
        return tuple(sorted((key for key in given if self._place_of[key] in kept), key=self._position.__getitem__))

    def _related(self, new: _Place) -> _Place:
        """Find the places above and below a new place; returns the existing place if there is an equal one."""
        for place in self._places:
            if place in new.above or place in new.below:
                continue
            covered = self._covers(place.element, new.element)
            covering = self._covers(new.element, place.element)
            if covered and covering:
                return place
            if covered:
                new.above |= {place: None} | place.above
            elif covering:
                new.below |= {place: None} | place.below
        return new

    def _insert(self, new: _Place) -> None:
        # If `covers` misses a step (beyond its bounds it may), a place could end up both above and below; keep it
        # above.
        new.below = {place: None for place in new.below if place not in new.above}
        for above in new.above:
            above.below |= {new: None} | new.below
        for below in new.below:
            below.above |= {new: None} | new.above
        self._places[new] = None
        self._depths.clear()

    def _at(self, key: str) -> _Place:
        try:
            return self._place_of[key]
        except KeyError:
            raise ModelError(f"{key!r} is not in the poset") from None

    def _keys(self, places: Iterable[_Place]) -> tuple[str, ...]:
        return tuple(sorted((key for place in places for key in place.keys), key=self._position.__getitem__))
