"""The novelty filter that a policy asks for (semantics: Novelty)."""

from datetime import datetime
from typing import assert_never

from rankcast.choose.candidates import DeliveryMode
from rankcast.choose.filters.filtered import EventFilter, Filtered
from rankcast.choose.filters.paced import Paced
from rankcast.choose.filters.pacing import takes_turns
from rankcast.choose.filters.random import Random
from rankcast.choose.filters.rotation import Rotation
from rankcast.choose.filters.sampling import Sampling
from rankcast.choose.filters.score_sampling import ScoreSampling
from rankcast.choose.filters.threshold import ByRank, CandidateScore, Threshold
from rankcast.model import EPOCH, Decaying, Filter, FilterKind, Policy, Scoring, Update
from rankcast.rank import novelty_of_filter


def event_filter(user: str, settings: Filter, decay: Decaying | None = None, origin: datetime = EPOCH) -> EventFilter:
    """A new filter for a user. Only scoring by decaying novelty uses `decay` and `origin`."""
    match settings.novelty:
        case FilterKind.RANDOM:
            return Random(user, settings.rate, settings.seed, settings.period if settings.exact else None)
        case FilterKind.SAMPLING if settings.scoring in (Scoring.RATE, Scoring.INTERVAL):
            return Sampling(user, settings)
    score: CandidateScore = (
        ByRank() if settings.scoring is Scoring.SCORE else novelty_of_filter(settings, decay, origin)
    )
    match settings.novelty:
        case FilterKind.SAMPLING:
            return ScoreSampling(user, score, settings)
        case FilterKind.MINIMUM:
            return Threshold(score, settings.rate, settings.period, settings.update, settings.minimum)
        case FilterKind.THRESHOLD if takes_turns(settings):
            return Rotation(settings.rate, settings.period, settings.credit)
        case FilterKind.THRESHOLD if settings.update is Update.PACED:
            return Paced(score, settings.rate, settings.period)
        case FilterKind.THRESHOLD:
            return Threshold(score, settings.rate, settings.period, settings.update)
    assert_never(settings.novelty)


def filtered(policy: Policy, mode: DeliveryMode) -> DeliveryMode:
    """The mode wrapped in the policy's filter; the mode itself if the policy has none."""
    if policy.filter is None:
        return mode
    return Filtered(event_filter(policy.user, policy.filter, policy.decay, policy.origin), mode)
