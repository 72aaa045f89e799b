"""Why an event was, or was not, sent to a user."""

from rankcast.explain.explaining import explain
from rankcast.explain.explanation import Decision, Explanation, Interest, Rival

__all__ = ["Decision", "Explanation", "Interest", "Rival", "explain"]
