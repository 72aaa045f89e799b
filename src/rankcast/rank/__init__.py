"""The value of an event to a user: preference, specificity, novelty and the combined score."""

from rankcast.rank.decaying import DecayingNovelty, with_starts
from rankcast.rank.levels import level_score, levels, scores, scores_of
from rankcast.rank.measures import (
    Distances,
    EvenRates,
    Place,
    count_at,
    distances,
    entropy,
    even_rates,
    fairness,
    places,
)
from rankcast.rank.novelty import MatchedEvent, Novelty, NoveltyState
from rankcast.rank.of_policy import novelty_of, novelty_of_filter
from rankcast.rank.optimum import Optimum, entropy_bound, optimal_counts, optimum
from rankcast.rank.policy_notes import policy_notes
from rankcast.rank.score import CombinedScore, Contribution, RankedEvent, ScoreExplanation, combine, event_rank, recency
from rankcast.rank.specificity import Specificity

__all__ = [
    "CombinedScore",
    "Contribution",
    "DecayingNovelty",
    "Distances",
    "EvenRates",
    "MatchedEvent",
    "Novelty",
    "NoveltyState",
    "Optimum",
    "Place",
    "RankedEvent",
    "ScoreExplanation",
    "Specificity",
    "combine",
    "count_at",
    "distances",
    "entropy",
    "entropy_bound",
    "even_rates",
    "event_rank",
    "fairness",
    "level_score",
    "levels",
    "novelty_of",
    "novelty_of_filter",
    "optimal_counts",
    "optimum",
    "places",
    "policy_notes",
    "recency",
    "scores",
    "scores_of",
    "with_starts",
]
