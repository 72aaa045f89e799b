"""Why an event was, or was not, sent to a user."""

from rankcast.engine.explain.explaining import explain
from rankcast.engine.explain.explanation import Decision, Explanation, MatchedSubscription, Rival

__all__ = ["Decision", "Explanation", "MatchedSubscription", "Rival", "explain"]
