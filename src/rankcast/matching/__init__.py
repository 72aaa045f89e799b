"""Matching: which subscriptions an event satisfies, and to what degree.

See semantics: Events and subscriptions; semantics: Approximate matching.
"""

from rankcast.matching.explain import MatchFinding, explain_match
from rankcast.matching.matcher import Matcher, OracleMatcher
from rankcast.matching.oracle import evaluate, matches
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning, Outcome

__all__ = [
    "NO_CONCEPTS",
    "MatchFinding",
    "Matcher",
    "Meaning",
    "OracleMatcher",
    "Outcome",
    "evaluate",
    "explain_match",
    "matches",
]
