"""How much an event is worth to a user: preference levels, most specific subscriptions, event rank."""

from rankcast.rank.event_rank import event_rank
from rankcast.rank.levels import level_score, levels, scores
from rankcast.rank.specificity import Specificity

__all__ = ["Specificity", "event_rank", "level_score", "levels", "scores"]
