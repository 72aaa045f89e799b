"""Why an event was, or was not, sent to a user."""

from rankcast.engine.explain.event_trace import EventTrace
from rankcast.engine.explain.explaining import explain
from rankcast.engine.explain.explanation import Decision, EventOutcome, Explanation, MatchedSubscription, Rival
from rankcast.engine.explain.memory import needs_history
from rankcast.engine.explain.reasons import Reason, ReasonDetail, why

__all__ = [
    "Decision",
    "EventOutcome",
    "EventTrace",
    "Explanation",
    "MatchedSubscription",
    "Reason",
    "ReasonDetail",
    "Rival",
    "explain",
    "needs_history",
    "why",
]
