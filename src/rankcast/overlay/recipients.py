"""Who gets a publication: the k best-ranked of the matching subscriptions, chosen by one who knows all (SPEC 7)."""

from collections.abc import Sequence
from heapq import nsmallest
from typing import Any, TypeAlias

from rankcast.cover import normal_form
from rankcast.model import Advertisement, Event, Ranking, Subscription
from rankcast.overlay.distance import distance
from rankcast.overlay.lots import lots
from rankcast.overlay.scorers import Area, MeaningOf, Score, Scorer

__all__ = ["Matched", "recipients"]

Matched: TypeAlias = tuple[Subscription, float]
"""A matching subscription, and the degree of the match."""


def recipients(
    advertisement: Advertisement,
    event: Event,
    matches: Sequence[Matched],
    scorer: Scorer | None = None,
    meaning_of: MeaningOf = lambda user: None,
) -> list[Matched]:
    """The k best-ranked of the matching subscriptions, best first; all of them if they are not more than k.

    k is the publication's own if it gives one, else the advertisement's.

    - `relevance`: by descending score, ties by the subscription's id.
    - `fair`: by lot, a hash of (advertisement, event, subscription): every k-subset is as likely as any other.
    - `relevance-fair`: by descending score, ties by lot.
    - `diverse`: by descending sum of the distances to all matching subscriptions, ties by id; n^2 / 2 distances for n
      different expressions.

    Parameters
    ----------
    matches
        All matching subscriptions; their order does not matter.
    scorer
        What relevance is; by default the area within the advertised space.
    meaning_of
        What concepts mean to a user, for the distance.

    Others cost O(n log k).
    """
    chosen = event.k or advertisement.k
    scorer = scorer or Area(advertisement, meaning_of)
    drawn = lots(advertisement.id, event.id)
    sums = _sums(matches, meaning_of) if advertisement.rank is Ranking.DIVERSE else {}

    def place(matched: Matched) -> tuple[Any, ...]:
        """Less is better."""
        subscription, degree = matched
        match advertisement.rank:
            case Ranking.RELEVANCE:
                return _negative(scorer.score(event, subscription, degree)), subscription.id
            case Ranking.FAIR:
                return drawn(subscription.id), subscription.id
            case Ranking.RELEVANCE_FAIR_TIES:
                score = _negative(scorer.score(event, subscription, degree))
                return score, drawn(subscription.id), subscription.id
            case Ranking.DIVERSE:
                return -sums[subscription.id], subscription.id

    return nsmallest(chosen, matches, key=place)


def _negative(score: Score) -> Score:
    return tuple(-part for part in score)


def _sums(matches: Sequence[Matched], meaning_of: MeaningOf) -> dict[str, float]:
    """For each subscription, the sum of its distances to all."""
    # in the order of ids, so that the additions are always the same
    ordered = sorted((subscription for subscription, _ in matches), key=lambda subscription: subscription.id)
    forms = [normal_form(subscription.where, meaning_of(subscription.user)) for subscription in ordered]
    sums = [0.0] * len(forms)
    for i, form in enumerate(forms):
        for j in range(i):
            apart = distance(form, forms[j])
            sums[i] += apart
            sums[j] += apart
    return {subscription.id: round(total, 9) for subscription, total in zip(ordered, sums, strict=True)}
