"""From the filter of a policy to the one over arrays that does it."""

from collections.abc import Sequence
from datetime import datetime

from rankcast.choose.filters.fast.batch import ArrayFilter
from rankcast.choose.filters.fast.given import DecayScores, GivenScores, RankScores
from rankcast.choose.filters.fast.random import ArrayRandom
from rankcast.choose.filters.fast.recent import ArrayRecentSampling
from rankcast.choose.filters.fast.sampling import ArraySampling
from rankcast.choose.filters.fast.score_sampling import ArrayScoreSampling
from rankcast.choose.filters.fast.threshold import ArrayThreshold
from rankcast.model import EPOCH, Decaying, Filter, FilterKind, Rates, Scoring, Update
from rankcast.model.declared import given as given_fields

__all__ = ["array_filter"]

_HONOURED = frozenset(("novelty", "rate", "period", "scoring", "update", "aging", "rates", "seed", "minimum"))
_HONOURED_OF_DECAY = frozenset(("form", "beta", "alpha", "period", "window"))
"""The fields that arrays honour; with any other one, the plain filter serves."""

_LARGEST_SUM = 9_000_000
"""Scores that add up to more than this are too much for whole steps of 1e-12 in 64 bits."""


def array_filter(
    user: str, settings: Filter, ids: Sequence[str], decay: Decaying | None = None, origin: datetime = EPOCH
) -> ArrayFilter | None:
    """A fresh filter over arrays for a user with these subscriptions; `decay` and `origin` are for scoring by decaying
    novelty. None if only the plain one can do it: a field that arrays do not know, sampling by scores so high, in periods so
    long, that their sum does not fit into 64 bits.
    """
    if not given_fields(settings) <= _HONOURED or not (decay is None or given_fields(decay) <= _HONOURED_OF_DECAY):
        return None
    given: GivenScores | None = None
    if settings.scoring is Scoring.SCORE:
        given = RankScores()
    elif settings.scoring is Scoring.DECAY:
        given = DecayScores(decay or Decaying(), origin, ids)
    match settings.novelty:
        case FilterKind.RANDOM:
            return ArrayRandom(user, settings)
        case FilterKind.THRESHOLD | FilterKind.MINIMUM:
            return ArrayThreshold(settings, ids, given)
        case FilterKind.SAMPLING if given is not None:
            fits = given.highest * settings.period <= _LARGEST_SUM
            return ArrayScoreSampling(user, settings, ids, given) if fits else None
        case FilterKind.SAMPLING if settings.update is Update.EAGER and settings.rates is Rates.PERIOD:
            return ArrayRecentSampling(user, settings, ids)
        case FilterKind.SAMPLING:
            return ArraySampling(user, settings, ids)
