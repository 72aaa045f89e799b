"""Five strategies that decide which subscriptions a broker forwards upstream.

See semantics: Producer-side top-k; semantics: Files; the paper's Algorithms 1 and 2 and its section IV-B.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rankcast.cover import NormalForm, normal_form
from rankcast.cover.sketches import Sketches
from rankcast.model import Advertisement, Catalog, Ranking, ScorerName, Subscription
from rankcast.overlay.order import KnownSubscription, Order, OrderEntry, Standing
from rankcast.overlay.scorers import MeaningOf, scorer_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class KeptEntries:
    """The kept ones of some entries, which come from the top: numbered from 0 in the order in which they were kept.

    It is enough to compare the next entry with the kept ones. If all entries with fewer than k ancestors are kept, an
    entry with k ancestors has k kept ones: its k topmost ancestors have fewer than k themselves. Candidates are found
    in numpy; pairs that are not both boxes are compared one by one.
    """

    def __init__(self, order: Order, entries: Sequence[OrderEntry]) -> None:
        self._order = order
        self._sketches = Sketches()
        self._kept: list[OrderEntry] = []
        # Scores as integers in the same order, to compare many at once.
        scores = sorted({score for entry in entries for score in (entry.low, entry.high)})
        self._place = {score: place for place, score in enumerate(scores)}
        self._lows = np.zeros(len(entries), np.int64)
        self._mixed = False

    def above(self, entry: OrderEntry) -> "NDArray[np.int64]":
        """The numbers of the kept entries that stand above the next entry, ascending."""
        if self._order.proves_nothing:
            return np.zeros(0, np.int64)
        mask = self._sketches.covering(entry.sketch)
        high = self._place[entry.high]
        if len(self._place) > 1:
            mask &= self._lows[: len(mask)] >= high
        found = np.flatnonzero(mask)
        # At equal scores, ids or the ranking decide.
        close = not self._order.lets_ties_stand and bool((self._lows[found] == high).any())
        if close or entry.box is None or self._mixed:
            found = np.array([at for at in found.tolist() if self._stands(self._kept[at], entry)], np.int64)
        return found

    def keep(self, entry: OrderEntry) -> None:
        """Keep the next entry."""
        self._lows[len(self._kept)] = self._place[entry.low]
        self._sketches.append(entry.sketch)
        self._kept.append(entry)
        self._mixed = self._mixed or entry.box is None

    def _stands(self, kept: OrderEntry, entry: OrderEntry) -> bool:
        if not self._order.outranks(kept, entry):
            return False
        return (kept.box is not None and entry.box is not None) or kept.form.covers(entry.form)


@dataclass(frozen=True)
class Strategy(ABC):
    """Chooses the subscriptions that upstream needs to know, in the order of `standing`.

    With `is_top_k`, publications go to k subscriptions instead of all that match.
    """

    standing: Standing = Standing.COVER
    is_top_k: bool = True

    def is_exact(self, ranking: Ranking) -> bool:
        """Whether the overlay chooses exactly the recipients that one broker with all subscriptions would choose."""
        return True

    @abstractmethod
    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions to forward, with their weights; each comes after those that stand above it."""


@dataclass(frozen=True)
class RegularCover(Strategy):
    """Forwards the uncovered subscriptions: plain publish/subscribe, without top-k.

    It is exact: an event that matches a covered subscription also matches a forwarded one.
    """

    is_top_k: bool = False

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions that no other covers; of equal ones the first by id."""
        return _with_fewer_ancestors(known, order, 1)


@dataclass(frozen=True)
class RegularK(Strategy):
    """Forwards all subscriptions."""

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """All subscriptions."""
        return list(known)


@dataclass(frozen=True)
class RankCoverK(Strategy):
    """Forwards subscriptions of depth at most k in the order by rank; depth is the longest chain from the top.

    A subscription below a chain of k matches only events that all k match too, and those k rank before it. It is
    exact for every ranking: if no order can be proved, all subscriptions are forwarded.
    """

    standing: Standing = Standing.RANK

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions of depth at most k. O(n * forwarded), in numpy for boxes."""
        entries = order.entries(known)
        kept = KeptEntries(order, entries)
        depths = np.zeros(len(entries), np.int64)
        forwarded: list[KnownSubscription] = []
        for entry in entries:
            above = kept.above(entry)
            depth = 1 + (int(depths[above].max()) if len(above) else 0)
            if depth <= k:
                depths[len(forwarded)] = depth
                kept.keep(entry)
                forwarded.append(entry.known)
        return forwarded


@dataclass(frozen=True)
class AncestorCoverK(Strategy):
    """Forwards subscriptions with fewer than k ancestors in the order by rank.

    With `standing` COVER it ignores ranks, as in the paper's figures with a random ranking. It is then not exact.
    """

    standing: Standing = Standing.RANK

    def is_exact(self, ranking: Ranking) -> bool:
        """Yes, in the order by rank."""
        return self.standing is Standing.RANK

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions with fewer than k ancestors. O(n * forwarded), in numpy for boxes."""
        return _with_fewer_ancestors(known, order, k)


@dataclass(frozen=True)
class AncestorFairK(Strategy):
    """Like `AncestorCoverK`, but a subscription may stand above one it ties with, and forwarded ones carry weights.

    A hidden subscription adds its weight to one forwarded subscription: the nearest above it that may tie with it.
    Nearest is the smallest box, or else the one that most others cover. It matches the fewest publications that the
    hidden one does not.
    The weights sum to the number of subscriptions, except for those that can never be among the k best because all
    above them score higher.
    """

    standing: Standing = Standing.TIES

    def is_exact(self, ranking: Ranking) -> bool:
        """Only for rankings in which the lot decides nothing."""
        return ranking in (Ranking.RELEVANCE, Ranking.DIVERSE)

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions with fewer than k ancestors, each with its weight."""
        entries = order.entries(known)
        kept = KeptEntries(order, entries)
        forwarded: list[OrderEntry] = []
        weights: list[int] = []
        for entry in entries:
            above = kept.above(entry)
            if len(above) < k:
                weights.append(entry.known.weight)
                kept.keep(entry)
                forwarded.append(entry)
            else:
                nearest = next((at for at in above[::-1].tolist() if forwarded[at].low <= entry.high), None)
                if nearest is not None:
                    weights[nearest] += entry.known.weight
        return [
            KnownSubscription(entry.known.subscription, weight)
            for entry, weight in zip(forwarded, weights, strict=True)
        ]


def _with_fewer_ancestors(known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
    entries = order.entries(known)
    kept = KeptEntries(order, entries)
    forwarded: list[KnownSubscription] = []
    for entry in entries:
        if len(kept.above(entry)) < k:
            kept.keep(entry)
            forwarded.append(entry.known)
    return forwarded


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "regular-cover": RegularCover(),
        "regular": RegularK(),
        "rank-cover": RankCoverK(),
        "ancestor-cover": AncestorCoverK(),
        "ancestor-fair": AncestorFairK(),
    }
)
"""The strategies by the names that the commands use."""


def concerned(
    advertisement: Advertisement, subscriptions: Iterable[Subscription], meaning_of: MeaningOf = lambda user: None
) -> list[Subscription]:
    """The subscriptions that a publication under the advertisement could match."""
    space = normal_form(advertisement.where, meaning_of(None))
    return [one for one in subscriptions if is_concerned(space, one, meaning_of)]


def is_concerned(space: NormalForm, subscription: Subscription, meaning_of: MeaningOf) -> bool:
    """Whether an event in a space could match a subscription."""
    return not space.disjoint(normal_form(subscription.where, meaning_of(subscription.user)))


def order_of(
    catalog: Catalog, advertisement: Advertisement, strategy: Strategy, score: ScorerName | None = None
) -> Order:
    """The order in which a strategy compares subscriptions under an advertisement.

    `score` selects another scorer; a fair or diverse ranking then becomes a ranking by relevance.
    """
    ranking = advertisement.rank
    if score is not None and ranking in (Ranking.FAIR, Ranking.DIVERSE):
        ranking = Ranking.RELEVANCE
    scorer = scorer_of(catalog, advertisement, score)
    return Order(strategy.standing, ranking, scorer, catalog.meaning_of)


def forwarded(
    catalog: Catalog,
    advertisement: Advertisement,
    strategy: Strategy,
    score: ScorerName | None = None,
    k: int | None = None,
) -> list[KnownSubscription]:
    """The subscriptions that a broker with the whole catalog forwards towards the publisher, in catalog order.

    Only subscriptions that can intersect the advertised space take part.
    """
    order = order_of(catalog, advertisement, strategy, score)
    local = [
        KnownSubscription(one) for one in concerned(advertisement, catalog.subscriptions.values(), catalog.meaning_of)
    ]
    sent = {known.subscription.id: known for known in strategy.forward(local, order, k or advertisement.k)}
    return [sent[name] for name in catalog.subscriptions if name in sent]
