"""Five strategies that decide which subscriptions a broker forwards upstream.

See semantics: Producer-side top-k; the paper's Algorithms 1 and 2 and its section IV-B.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from rankcast.model import Ranking
from rankcast.overlay.order import KnownSubscription, Order, OrderEntry, Standing
from rankcast.overlay.pruning import kept_of


class Strategy(Protocol):
    """Chooses the subscriptions that upstream needs to know."""

    @property
    def standing(self) -> Standing:
        """The order that the strategy uses."""

    @property
    def is_top_k(self) -> bool:
        """Whether publications go to k subscriptions instead of all that match."""

    def is_exact(self, ranking: Ranking) -> bool:
        """Whether the overlay chooses exactly the recipients that one broker with all subscriptions would choose."""

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions to forward, with their weights; each comes after those that stand above it."""


@dataclass(frozen=True)
class RegularCover:
    """Forwards the uncovered subscriptions: plain publish/subscribe, without top-k."""

    standing: Standing = Standing.COVER
    is_top_k: bool = False

    def is_exact(self, ranking: Ranking) -> bool:
        """Yes: an event that matches a covered subscription also matches a forwarded one."""
        return True

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions that no other covers; of equal ones the first by id."""
        return _with_fewer_ancestors(known, order, 1)


@dataclass(frozen=True)
class RegularK:
    """Forwards all subscriptions."""

    standing: Standing = Standing.COVER
    is_top_k: bool = True

    def is_exact(self, ranking: Ranking) -> bool:
        """Yes."""
        return True

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """All subscriptions."""
        return list(known)


@dataclass(frozen=True)
class RankCoverK:
    """Forwards subscriptions of depth at most k in the order by rank; depth is the longest chain from the top.

    A subscription below a chain of k matches only events that all k match too, and those k rank before it.
    """

    standing: Standing = Standing.RANK
    is_top_k: bool = True

    def is_exact(self, ranking: Ranking) -> bool:
        """Yes, for every ranking: if no order can be proved, all subscriptions are forwarded."""
        return True

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions of depth at most k. O(n * forwarded), in numpy for boxes."""
        entries = order.entries(known)
        kept = kept_of(order, entries)
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
class AncestorCoverK:
    """Forwards subscriptions with fewer than k ancestors in the order by rank.

    With `standing` COVER it ignores ranks, as in the paper's figures with a random ranking. It is then not exact.
    """

    standing: Standing = Standing.RANK
    is_top_k: bool = True

    def is_exact(self, ranking: Ranking) -> bool:
        """Yes, in the order by rank."""
        return self.standing is Standing.RANK

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions with fewer than k ancestors. O(n * forwarded), in numpy for boxes."""
        return _with_fewer_ancestors(known, order, k)


@dataclass(frozen=True)
class AncestorFairK:
    """Like `AncestorCoverK`, but a subscription may stand above one it ties with, and forwarded ones carry weights.

    A hidden subscription adds its weight to one forwarded subscription: the nearest above it that may tie with it.
    Nearest is the smallest box, or else the one that most others cover. It matches the fewest publications that the
    hidden one does not.
    The weights sum to the number of subscriptions, except for those that can never be among the k best because all
    above them score higher.
    """

    standing: Standing = Standing.TIES
    is_top_k: bool = True

    def is_exact(self, ranking: Ranking) -> bool:
        """Only for rankings in which the lot decides nothing."""
        return ranking in (Ranking.RELEVANCE, Ranking.DIVERSE)

    def forward(self, known: Iterable[KnownSubscription], order: Order, k: int) -> list[KnownSubscription]:
        """The subscriptions with fewer than k ancestors, each with its weight."""
        entries = order.entries(known)
        kept = kept_of(order, entries)
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
    kept = kept_of(order, entries)
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
