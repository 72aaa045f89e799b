"""How different two events are (semantics: Diversity; DEBS'09, Def. 7)."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankcast.model import AttributeValue, DistanceName, Event, Policy, identity

if TYPE_CHECKING:
    from rankcast.choose.distance_table import DistanceTable

_NO_WEIGHTS: Mapping[str, float] = {}


def distance(
    a: Event,
    b: Event,
    weights: Mapping[str, float] = _NO_WEIGHTS,
    attributes: Sequence[str] | None = None,
    compare: DistanceName = DistanceName.JACCARD,
) -> float:
    """1 minus the weighted mean similarity over the attributes that at least one of the events has; in 0..1.

    Parameters
    ----------
    a, b
        The events.
    weights
        The weight of each attribute; 1 for attributes that are not listed.
    attributes
        The attributes to compare; None for all. If neither event has any of them, or all weights are 0, the distance
        is 0.
    compare
        How two values are compared: by the share of values in common, or for equality.

    Examples
    --------
    >>> from rankcast.model import EPOCH
    >>> a = Event("a", EPOCH, {"genre": ("drama", "comedy"), "year": (2003,)})
    >>> b = Event("b", EPOCH, {"genre": ("drama",), "year": (2003.0,)})
    >>> distance(a, b), distance(a, b, {"year": 0})
    (0.25, 0.5)
    >>> distance(a, b, compare=DistanceName.EQUALITY)
    0.5
    """
    counting = a.attributes.keys() | b.attributes.keys()
    if attributes is not None:
        counting &= set(attributes)
    weight_of = {name: weights.get(name, 1.0) for name in counting}
    largest = max(weight_of.values(), default=0.0)
    if not largest:
        return 0.0
    # The largest weight is the unit, so that sums of huge weights stay finite.
    shares = {name: weight / largest for name, weight in weight_of.items()}
    alike_of = similarity if compare is DistanceName.JACCARD else same
    alike = math.fsum(
        share * alike_of(a.attributes.get(name), b.attributes.get(name)) for name, share in shares.items()
    )
    return 1.0 - alike / math.fsum(shares.values())


def similarity(a: AttributeValue | None, b: AttributeValue | None) -> float:
    """Jaccard similarity of two sets of crisp values; 0 if one of them is missing.

    Imprecise values have similarity 1 if they are equal, else 0.
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) == len(b) == 1:
            return 1.0 if a == b and identity(a[0]) == identity(b[0]) else 0.0
        values_a, values_b = set(map(identity, a)), set(map(identity, b))
        return len(values_a & values_b) / len(values_a | values_b)
    return 1.0 if a == b else 0.0


def same(a: AttributeValue | None, b: AttributeValue | None) -> float:
    """1 if both have the same value or the same set of values, else 0 (DEBS'09, Def. 7)."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return 1.0 if set(map(identity, a)) == set(map(identity, b)) else 0.0
    return 1.0 if a == b else 0.0


class Distance:
    """`distance` with given weights, attributes and comparison; it caches pairs of events by their `seq`.

    A window that slides by one event therefore costs one distance per event in it. The cache holds at most `limit`
    pairs; others are computed again. Call `forget` when an event cannot come again. Events without a position are not
    cached.
    """

    def __init__(
        self,
        weights: Mapping[str, float] = _NO_WEIGHTS,
        attributes: Sequence[str] | None = None,
        limit: int = 2**18,
        compare: DistanceName = DistanceName.JACCARD,
    ) -> None:
        self.weights = dict(weights)
        self.attributes = None if attributes is None else tuple(attributes)
        self.compare = compare
        self.limit = limit
        self._of_older: dict[int, dict[int, float]] = {}
        self._remembered = 0
        self._table: DistanceTable | None = None

    @classmethod
    def of(cls, policy: Policy) -> "Distance":
        """The distance that a policy asks for."""
        return cls(policy.weights, policy.attributes, compare=policy.distance)

    @property
    def table(self) -> "DistanceTable":
        """The same distances as an array, for compiled loops. `forget` applies to it too."""
        if self._table is None:
            from rankcast.choose.distance_table import DistanceTable

            self._table = DistanceTable(self.weights, self.attributes, compare=self.compare)
        return self._table

    def __call__(self, a: Event, b: Event) -> float:
        """The distance of two events."""
        older, newer = (a.seq, b.seq) if a.seq < b.seq else (b.seq, a.seq)
        known = self._of_older.get(older)
        if known is not None and newer in known:
            return known[newer]
        found = distance(a, b, self.weights, self.attributes, self.compare)
        if older > 0 and self._remembered < self.limit:
            self._of_older.setdefault(older, {})[newer] = found
            self._remembered += 1
        return found

    def __len__(self) -> int:
        """The number of cached pairs."""
        return self._remembered

    def forget(self, seq: int) -> None:
        """Drop all pairs of the event at `seq`. O(cached events)."""
        self._remembered -= len(self._of_older.pop(seq, ()))
        if self._of_older:
            for newer in self._of_older.values():
                if newer.pop(seq, None) is not None:
                    self._remembered -= 1
        if self._table is not None:
            self._table.forget(seq)
