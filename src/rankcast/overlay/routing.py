"""Shards as edge brokers: summaries, and the shards that an event must visit (semantics: Producer-side top-k)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from rankcast.errors import ModelError
from rankcast.model import Advertisement, Catalog, Event, Ranking, ScorerName, Subscription
from rankcast.overlay.finding import Finder
from rankcast.overlay.forwarding import forwarded
from rankcast.overlay.order import KnownSubscription, Order, Standing
from rankcast.overlay.recipients import recipients
from rankcast.overlay.scorers import PreferenceScore, Scorer, Weight, meanings_of, scorer_of
from rankcast.overlay.strategies import RegularCover, Strategy

__all__ = ["CONSUMERS", "Router", "Summary", "summarise"]

CONSUMERS = ""
"""The key of a summary for events without an advertisement."""

Summary: TypeAlias = Mapping[str, tuple[Subscription, ...]]
"""The subscriptions that a shard forwards, by advertisement id, or `CONSUMERS` for events without one."""


def summarise(catalog: Catalog, strategy: Strategy) -> dict[str, tuple[Subscription, ...]]:
    """The summary of a shard with this part of the catalog.

    Under an advertisement it has what the strategy forwards; for other events, the uncovered subscriptions. If
    ranking is by preference, the subscriptions carry their scores, so readers of the summary need no preferences.
    """
    everything = RegularCover()
    order = Order(Standing.COVER, Ranking.RELEVANCE, Weight(), meanings_of(catalog))
    wanted = everything.forward(map(KnownSubscription, catalog.subscriptions.values()), order, 1)
    summary = {CONSUMERS: tuple(known.subscription for known in wanted)}
    for advertisement in catalog.advertisements.values():
        if not strategy.is_top_k or not strategy.is_exact(advertisement.rank):
            raise ModelError(
                f"this strategy does not find just the k best under the {advertisement.rank.value} ranking of "
                f"advertisement {advertisement.id!r}; ancestor-cover, rank-cover and regular do"
            )
        found = [known.subscription for known in forwarded(catalog, advertisement, strategy)]
        if advertisement.score is ScorerName.PREFERENCE and advertisement.function is None:
            preferred = PreferenceScore(catalog)
            found = [replace(one, score=preferred.fixed(one)[0]) for one in found]
        summary[advertisement.id] = tuple(found)
    return summary


class Router:
    """Finds the shards that an event must visit so that no delivery is missed.

    Under an advertisement these are the shards that hold one of the k best. For events without an advertisement, and
    for rankings that depend on what only the shards know (degree, diversity), they are the shards that hold any
    match. An event with imprecise values visits all shards, because covering is defined for crisp values. The cost is
    a match over the summaries.

    Parameters
    ----------
    shared
        A catalog with the advertisements and concepts; users' records are not needed.
    summaries
        The summary of each shard.
    """

    def __init__(self, shared: Catalog, summaries: Mapping[int, Summary]) -> None:
        self._catalog = shared
        self._all = tuple(sorted(summaries))
        self._home: dict[str, dict[str, int]] = {}
        self._finders: dict[str, Finder] = {}
        self._scorers: dict[str, Scorer] = {}
        for name in (CONSUMERS, *shared.advertisements):
            held = [(one, shard) for shard in self._all for one in summaries[shard].get(name, ())]
            self._home[name] = {one.id: shard for one, shard in held}
            self._finders[name] = Finder([one for one, _ in held], shared)

    def shards(self, event: Event) -> tuple[int, ...]:
        """The shards that the event must visit, ascending."""
        if not all(isinstance(value, tuple) for value in event.attributes.values()):
            return self._all
        name = event.advertisement or CONSUMERS
        found = self._finders[name].match(event)
        if event.advertisement is not None:
            advertisement = self._catalog.advertisements[event.advertisement]
            if advertisement.rank is not Ranking.DIVERSE and not _needs_the_match(advertisement):
                if name not in self._scorers:
                    self._scorers[name] = scorer_of(self._catalog, advertisement)
                found = recipients(advertisement, event, found, self._scorers[name], meanings_of(self._catalog))
        return tuple(sorted({self._home[name][subscription.id] for subscription, _ in found}))


def _needs_the_match(advertisement: Advertisement) -> bool:
    """Whether a score depends on what only the shards know: the degree, and with it any registered function."""
    return advertisement.function is not None or advertisement.score is ScorerName.DEGREE
