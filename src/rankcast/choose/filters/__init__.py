"""Novelty filters decide which of a user's candidates reach the delivery mode (semantics: Novelty)."""

from rankcast.choose.filters.budget import Budget
from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.filtered import EventFilter, Filtered, Verdict
from rankcast.choose.filters.of_policy import event_filter, filtered
from rankcast.choose.filters.paced import Paced
from rankcast.choose.filters.random import Random
from rankcast.choose.filters.rotation import Rotation
from rankcast.choose.filters.sampling import Sampling
from rankcast.choose.filters.score_sampling import ScoreSampling
from rankcast.choose.filters.threshold import ByRank, CandidateScore, Threshold

__all__ = [
    "Budget",
    "ByRank",
    "CandidateScore",
    "EventFilter",
    "Filtered",
    "Paced",
    "Random",
    "Rotation",
    "Sampling",
    "ScoreSampling",
    "Threshold",
    "Verdict",
    "chance",
    "event_filter",
    "filtered",
]
