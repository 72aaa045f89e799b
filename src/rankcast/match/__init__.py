"""Matching: which subscriptions an event satisfies, and to what degree (SPEC 1 and 6)."""

from rankcast.match.explain import Finding, explain_match
from rankcast.match.matcher import Matcher, OracleMatcher
from rankcast.match.oracle import evaluate, matches
from rankcast.match.outcomes import NO_CONCEPTS, Meaning, Outcome

__all__ = [
    "NO_CONCEPTS",
    "Finding",
    "Matcher",
    "Meaning",
    "OracleMatcher",
    "Outcome",
    "evaluate",
    "explain_match",
    "matches",
]
