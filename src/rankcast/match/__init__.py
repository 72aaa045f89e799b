"""Matching: which subscriptions an event satisfies, and to what degree (SPEC 1 and 6)."""

from rankcast.match.oracle import evaluate, matches
from rankcast.match.outcomes import NO_CONCEPTS, Meaning, Outcome

__all__ = ["NO_CONCEPTS", "Meaning", "Outcome", "evaluate", "matches"]
