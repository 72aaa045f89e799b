"""The recipients of a publication: the k best-ranked of the subscriptions that it matches.

See semantics: Producer-side top-k.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from heapq import nsmallest
from typing import TypeAlias

import numpy as np

from rankcast.cover import normal_form
from rankcast.cover.boxes import Boxes, box_of, point_of
from rankcast.matching import OracleMatcher
from rankcast.model import Advertisement, Catalog, Event, Ranking, Subscription
from rankcast.overlay.distance import distance
from rankcast.overlay.lots import lots
from rankcast.overlay.scorers import Area, MeaningOf, Scorer

Matched: TypeAlias = tuple[Subscription, float]
"""A matching subscription, and the degree of the match."""


def recipients(
    advertisement: Advertisement,
    event: Event,
    matches: Sequence[Matched],
    scorer: Scorer | None = None,
    meaning_of: MeaningOf = lambda user: None,
) -> list[Matched]:
    """The k best-ranked of the matching subscriptions, best first; all of them if there are at most k.

    k is that of the publication if it has one, else that of the advertisement.

    - `relevance`: by descending score, ties by the subscription's id.
    - `fair`: by lot, a hash of (advertisement, event, subscription); every k-subset is equally likely.
    - `relevance-fair`: by descending score, ties by lot.
    - `diverse`: by descending sum of the distances to all matching subscriptions, ties by id; n^2 / 2 distances for n
      different expressions.

    All rankings except `diverse` cost O(n log k).

    Parameters
    ----------
    matches
        All matching subscriptions; their order does not matter.
    scorer
        Computes relevance; by default the area within the advertised space.
    meaning_of
        The meanings of concepts for a user; the distance needs them.
    """
    k = event.k or advertisement.k
    if advertisement.rank is Ranking.DIVERSE:
        sums = _sums(matches, meaning_of)
        return nsmallest(k, matches, key=lambda matched: (-sums[matched[0].id], matched[0].id))
    place = place_of(advertisement, event, scorer or Area(advertisement, meaning_of))
    return nsmallest(k, matches, key=lambda matched: (place(matched), matched[0].id))


def place_of(advertisement: Advertisement, event: Event, scorer: Scorer) -> Callable[[Matched], tuple[float, ...]]:
    """The sort key of matching subscriptions: smaller is better, ties go by id.

    There is none for the diverse ranking, where a subscription's place depends on the others.
    """
    drawn = lots(advertisement.id, event.id)

    def place(matched: Matched) -> tuple[float, ...]:
        subscription, degree = matched
        if advertisement.rank is Ranking.FAIR:
            return (drawn(subscription.id),)
        score = tuple(-part for part in scorer.score(event, subscription, degree))
        return score if advertisement.rank is Ranking.RELEVANCE else (*score, drawn(subscription.id))

    return place


def _sums(matches: Sequence[Matched], meaning_of: MeaningOf) -> dict[str, float]:
    """For each subscription, the sum of its distances to all others."""
    # in order of ids, so that the sums are always rounded the same way
    ordered = sorted((subscription for subscription, _ in matches), key=lambda subscription: subscription.id)
    forms = [normal_form(subscription.where, meaning_of(subscription.user)) for subscription in ordered]
    sums = [0.0] * len(forms)
    for i, form in enumerate(forms):
        for j in range(i):
            apart = distance(form, forms[j])
            sums[i] += apart
            sums[j] += apart
    return {subscription.id: round(total, 9) for subscription, total in zip(ordered, sums, strict=True)}


class Finder:
    """Finds the matching subscriptions, in O(subscriptions).

    It uses numpy if all subscriptions are boxes and the event is crisp, else plain evaluation.
    """

    def __init__(self, subscriptions: Sequence[Subscription], catalog: Catalog) -> None:
        self._subscriptions = list(subscriptions)
        self._catalog = catalog

    def match(self, event: Event) -> list[Matched]:
        """The subscriptions that the event matches, in the given order, with their degrees."""
        point = point_of(event)
        if self._boxes is None or point is None:
            return list(self._matcher.match(event))
        return [(self._subscriptions[at], 1.0) for at in np.flatnonzero(self._boxes.covering(point)).tolist()]

    @cached_property
    def _boxes(self) -> Boxes | None:
        meaning_of = self._catalog.meaning_of
        boxes = Boxes([])
        for one in self._subscriptions:
            box = box_of(normal_form(one.where, meaning_of(one.user)))
            if box is None:
                return None
            boxes.append(box)
        return boxes

    @cached_property
    def _matcher(self) -> OracleMatcher:
        return OracleMatcher.of(self._catalog, self._subscriptions)
