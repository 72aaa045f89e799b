"""Creates the filter over arrays that a policy specifies."""

from collections.abc import Sequence
from datetime import datetime

from rankcast.choose.filters.pacing import takes_turns
from rankcast.engine.arrays.filters.batch import ArrayFilter
from rankcast.engine.arrays.filters.given import DecayScores, GivenScores, RankScores
from rankcast.engine.arrays.filters.random import ArrayRandom
from rankcast.engine.arrays.filters.recent import ArrayRecentSampling
from rankcast.engine.arrays.filters.rotation import ArrayRotation
from rankcast.engine.arrays.filters.sampling import ArraySampling
from rankcast.engine.arrays.filters.score_sampling import ArrayScoreSampling
from rankcast.engine.arrays.filters.threshold import ArrayThreshold
from rankcast.model import EPOCH, Decaying, Filter, FilterKind, RateSpan, Scoring, Update
from rankcast.model.declared import given as given_fields

_HONOURED = frozenset(("novelty", "rate", "period", "scoring", "update", "aging", "rates", "seed", "minimum", "exact"))
_HONOURED_OF_DECAY = frozenset(("form", "beta", "alpha", "period", "window"))
"""The fields that arrays support; with any other field, the reference filter is used."""

_LARGEST_SUM = 9_000_000
"""The largest sum of scores that fits into 64 bits in steps of 1e-12."""


def array_filter(
    user: str, settings: Filter, ids: Sequence[str], decay: Decaying | None = None, origin: datetime = EPOCH
) -> ArrayFilter | None:
    """A new filter over arrays for a user with these subscriptions.

    `decay` and `origin` apply to scoring by decaying novelty.

    None if only the reference filter can do it: for a field that arrays do not support, for novelty by rates that are
    not counted over all history, for sampling by rates that fade, or for sampling by scores with a sum that does not fit
    into 64 bits.
    """
    if not given_fields(settings) <= _HONOURED or not (decay is None or given_fields(decay) <= _HONOURED_OF_DECAY):
        return None
    counted = settings.novelty is not FilterKind.RANDOM and settings.scoring is Scoring.RATE
    by_threshold = counted and settings.novelty is not FilterKind.SAMPLING and settings.rates is not RateSpan.HISTORY
    if by_threshold or (settings.novelty is FilterKind.SAMPLING and settings.rates is RateSpan.DECAYED):
        return None
    given: GivenScores | None = None
    if settings.scoring is Scoring.SCORE:
        given = RankScores()
    elif settings.scoring is Scoring.DECAY:
        given = DecayScores(decay or Decaying(), origin, ids)
    match settings.novelty:
        case FilterKind.RANDOM:
            return ArrayRandom(user, settings)
        case FilterKind.THRESHOLD if takes_turns(settings):
            return ArrayRotation(settings, ids)
        case FilterKind.THRESHOLD | FilterKind.MINIMUM:
            return ArrayThreshold(settings, ids, given)
        case FilterKind.SAMPLING if given is not None:
            fits = given.highest * settings.period <= _LARGEST_SUM
            return ArrayScoreSampling(user, settings, ids, given) if fits else None
        case FilterKind.SAMPLING if settings.update is not Update.LAZY and settings.rates is RateSpan.PERIOD:
            return ArrayRecentSampling(user, settings, ids)
        case FilterKind.SAMPLING:
            return ArraySampling(user, settings, ids)
