"""From the filter of a policy to the one over arrays that does it."""

from collections.abc import Sequence
from datetime import datetime

from rankcast.engine.arrays.filters.batch import ArrayFilter
from rankcast.engine.arrays.filters.given import DecayScores, GivenScores, RankScores
from rankcast.engine.arrays.filters.random import ArrayRandom
from rankcast.engine.arrays.filters.recent import ArrayRecentSampling
from rankcast.engine.arrays.filters.sampling import ArraySampling
from rankcast.engine.arrays.filters.score_sampling import ArrayScoreSampling
from rankcast.engine.arrays.filters.threshold import ArrayThreshold
from rankcast.model import EPOCH, Decaying, Filter, FilterKind, RateSpan, Scoring, Update
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
        case FilterKind.SAMPLING if settings.update is Update.EAGER and settings.rates is RateSpan.PERIOD:
            return ArrayRecentSampling(user, settings, ids)
        case FilterKind.SAMPLING:
            return ArraySampling(user, settings, ids)
