"""Which subscription stands above another: by covering, or by covering and rank (semantics: Producer-side top-k)."""

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from rankcast.cover import NormalForm, normal_form
from rankcast.cover.boxes import ANYTHING, Box, box_of
from rankcast.cover.sketches import Sketch, Sketches, sketch_of
from rankcast.model import Ranking, Subscription
from rankcast.overlay.functions import Score
from rankcast.overlay.scorers import MeaningOf, Scorer


class KnownSubscription(NamedTuple):
    """A subscription as a broker knows it; `weight` is the number of subscriptions it stands for, itself included."""

    subscription: Subscription
    weight: int = 1


class Standing(Enum):
    """When subscription A stands above B. If their expressions are equal, A needs the smaller id.

    `COVER`: A covers B. `RANK`: A covers B and provably ranks before B on every common publication. `TIES`: A covers
    B and provably never scores less; the two may tie, and then the lot decides.
    """

    COVER = "cover"
    RANK = "rank"
    TIES = "ties"


class OrderEntry(NamedTuple):
    """A known subscription with everything needed to compare it.

    `low` and `high` bound its score. `size` is smaller for larger boxes.
    """

    known: KnownSubscription
    form: NormalForm
    box: Box | None
    sketch: Sketch
    size: tuple[float, float]
    low: Score
    high: Score

    @property
    def id(self) -> str:
        """The subscription's id."""
        return self.known.subscription.id


_TIED: tuple[Score, Score] = ((0.0,), (0.0,))


class Order:
    """The strict partial order of subscriptions under one advertisement.

    Parameters
    ----------
    ranking
        How the advertisement ranks. A `fair` ranking scores all subscriptions the same, so no rank can be proved. For
        a `diverse` ranking nothing can be proved.
    scorer
        Computes relevance and its bounds.
    meaning_of
        The meanings of concepts for each user.
    """

    def __init__(
        self, standing: Standing, ranking: Ranking, scorer: Scorer, meaning_of: MeaningOf = lambda user: None
    ) -> None:
        self.standing = standing
        self.ranking = ranking
        self.scorer = scorer
        self._meaning_of = meaning_of
        self._entries: dict[int, OrderEntry] = {}
        self._above = _above(standing, ranking)

    @property
    def proves_nothing(self) -> bool:
        """Whether no subscription can stand above another."""
        return self._above is None

    @property
    def lets_ties_stand(self) -> bool:
        """Whether equal scores suffice: a covering subscription stands above another unless it may score less."""
        return self.standing is Standing.COVER or (
            self.standing is Standing.TIES and self.ranking is not Ranking.RELEVANCE
        )

    def entries(self, known: Iterable[KnownSubscription]) -> list[OrderEntry]:
        """The subscriptions, sorted so that each comes after all that stand above it; boxes also by size."""
        found = [self._entry(one) for one in known]
        if all(entry.box is not None for entry in found):
            names = sorted({name for entry in found for name in entry.box or ()})
            found.sort(key=lambda entry: (_negative(entry.low), entry.size, _corners(entry.box or {}, names), entry.id))
        else:
            found.sort(key=lambda entry: (_negative(entry.low), entry.id))
            if self.standing is not Standing.RANK:
                found = _covering_first(found)
        return found

    def outranks(self, entry: OrderEntry, other: OrderEntry) -> bool:
        """Whether the scores let `entry` stand above `other`, given that it comes earlier and covers it."""
        return self._above is not None and self._above(entry, other)

    def stands_above(self, one: Subscription, other: Subscription) -> bool:
        """Whether one subscription stands above another: the relation itself, for posets (`rankcast.cover.Poset`)."""
        entry, below = self._entry(KnownSubscription(one)), self._entry(KnownSubscription(other))
        if not (entry.form.covers(below.form) and self.outranks(entry, below)):
            return False
        return entry.id < below.id or not (below.form.covers(entry.form) and self.outranks(below, entry))

    def _entry(self, known: KnownSubscription) -> OrderEntry:
        # score bounds and normal form depend only on the subscription, so they are computed once
        subscription = known.subscription
        entry = self._entries.get(id(subscription))
        if entry is None or entry.known.subscription is not subscription:
            form = normal_form(subscription.where, self._meaning_of(subscription.user))
            low, high = _TIED if self._is_tied() else self.scorer.bounds(subscription)
            box = box_of(form)
            sketch = Sketch(box, box) if box is not None else sketch_of(form)
            entry = OrderEntry(known, form, box, sketch, _size(box or {}), low, high)
            self._entries[id(subscription)] = entry
        return entry if entry.known.weight == known.weight else entry._replace(known=known)

    def _is_tied(self) -> bool:
        return self.standing is Standing.COVER or self.ranking in (Ranking.FAIR, Ranking.DIVERSE)


def _above(standing: Standing, ranking: Ranking) -> Callable[[OrderEntry, OrderEntry], bool] | None:
    if standing is Standing.COVER:
        return lambda entry, other: True
    if ranking is Ranking.DIVERSE or (standing is Standing.RANK and ranking is Ranking.FAIR):
        return None
    if ranking is Ranking.RELEVANCE:
        return lambda entry, other: entry.low > other.high or (entry.low == other.high and entry.id < other.id)
    if standing is Standing.RANK:
        return lambda entry, other: entry.low > other.high
    return lambda entry, other: entry.low >= other.high


def _negative(score: Score) -> Score:
    return tuple(-part for part in score)


def _size(box: Box) -> tuple[float, float]:
    """The number of attributes and the negative logarithm of the volume; a covering box is larger in neither."""
    widths = (min(max(high - low, 1e-300), 1e300) for low, high in box.values())
    return len(box), -sum(math.log(width) for width in widths)


def _corners(box: Box, names: Sequence[str]) -> tuple[float, ...]:
    """Coordinates such that none of a covering box is larger than the covered box's."""
    return tuple(corner for name in names for low, high in (box.get(name, ANYTHING),) for corner in (low, -high))


def _covering_first(entries: list[OrderEntry]) -> list[OrderEntry]:
    """Sort stably so that, at equal lowest scores, each comes after all that cover it. O(n^2), mostly in numpy."""
    sketches = Sketches()
    for entry in entries:
        sketches.append(entry.sketch)
    above: dict[str, int] = {}
    for entry in entries:
        others = (entries[at] for at in sketches.covering(entry.sketch).nonzero()[0].tolist())
        above[entry.id] = sum(other.low == entry.low and other.form.covers(entry.form) for other in others)
    return sorted(entries, key=lambda entry: (_negative(entry.low), above[entry.id], entry.id))
