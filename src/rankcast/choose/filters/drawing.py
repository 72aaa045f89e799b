"""A random decision within a budget."""

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.budget import Budget
from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.filtered import Verdict


def draw(seed: int, user: str, candidate: Candidate, probability: float, budget: Budget) -> Verdict:
    """Let a candidate pass with the given probability while the budget has room."""
    drawn = chance(seed, user, candidate.event.id)
    if drawn >= probability:
        reason = f"stopped by the sampling filter: drawn {drawn:.4f}, probability {probability:.4f}"
        return Verdict(False, reason, StopCause.CHANCE)
    if not budget.has_room:
        return Verdict(False, f"stopped by the sampling filter: {budget.label()} passed already", StopCause.BUDGET)
    return Verdict(True, f"passed the sampling filter: drawn {drawn:.4f}, probability {probability:.4f}")
