"""Creates the novelty that a policy specifies."""

from datetime import datetime

from rankcast.errors import ModelError
from rankcast.model import EPOCH, Decaying, Filter, RateSpan, Scoring, Update
from rankcast.rank.decaying import DecayingNovelty
from rankcast.rank.delivery_counts import DeliveryCounts, FadingCounts, PeriodCounts, WindowCounts
from rankcast.rank.novelty import Novelty, NoveltyState


def novelty_of(
    scoring: Scoring, aging: float = 1.0, decay: Decaying | None = None, origin: datetime = EPOCH
) -> Novelty:
    """A new novelty for one user. `decay` and `origin` apply to decaying novelty, `aging` to the others.

    >>> type(novelty_of(Scoring.DECAY)).__name__
    'DecayingNovelty'
    """
    match scoring:
        case Scoring.RATE | Scoring.INTERVAL:
            return NoveltyState(scoring, aging)
        case Scoring.DECAY:
            return DecayingNovelty(decay, origin)
        case Scoring.SCORE:
            raise ModelError("a score is no novelty")


def novelty_of_filter(settings: Filter, decay: Decaying | None = None, origin: datetime = EPOCH) -> Novelty:
    """A new novelty for the filter of one user."""
    if settings.scoring in (Scoring.RATE, Scoring.INTERVAL):
        return NoveltyState(settings.scoring, settings.aging, settings.credit, _counts(settings))
    return novelty_of(settings.scoring, settings.aging, decay, origin)


def _counts(settings: Filter) -> DeliveryCounts:
    if settings.scoring is Scoring.INTERVAL:  # which depends on the last delivery alone
        return DeliveryCounts()
    match settings.rates:
        case RateSpan.HISTORY:
            return DeliveryCounts()
        case RateSpan.PERIOD if settings.update is Update.LAZY:
            return PeriodCounts(settings.period)
        case RateSpan.PERIOD:
            return WindowCounts(settings.period)
        case RateSpan.DECAYED:
            return FadingCounts(settings.half_life or settings.period)
