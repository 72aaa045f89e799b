"""Why an event that matched a user was not sent, derived from the delivery steps."""

from enum import Enum
from typing import NamedTuple

from rankcast.choose import Candidate, Distance, Step, StopCause
from rankcast.model import Policy, Scoring

_SHOWN = 3


class Reason(Enum):
    """Why an event was left out."""

    BELOW = "below"
    SIMILAR = "similar"
    CALM = "calm"
    SEEN = "seen"
    BUDGET = "budget"
    CHANCE = "chance"
    PUBLISHER = "publisher"
    UNSUBSCRIBED = "unsubscribed"

    @property
    def label(self) -> str:
        """The reason in words."""
        return _LABELS[self]


_LABELS = {
    Reason.BELOW: "ranked below those chosen",
    Reason.SIMILAR: "too similar to those chosen",
    Reason.CALM: "too little better than those chosen before",
    Reason.SEEN: "too much like what was sent before",
    Reason.BUDGET: "over the number that the filter lets through",
    Reason.CHANCE: "not drawn by the filter",
    Reason.PUBLISHER: "sent to fewer subscribers by its publisher",
    Reason.UNSUBSCRIBED: "no longer subscribed to when its period ended",
}


class ReasonDetail(NamedTuple):
    """A reason, with the numbers behind it."""

    reason: Reason
    detail: str


def why(step: Step, candidate: Candidate, policy: Policy) -> ReasonDetail:
    """Why a step did not choose one of its candidates. Cost: at most k distances."""
    if step.cause is not None:
        return ReasonDetail(_of_filter(step.cause, policy), step.note)
    if step.deferral is not None and step.defers(candidate.seq):
        gain = f"{step.deferral.gain:.3g}"
        return ReasonDetail(Reason.CALM, f"the set before was kept: the new one is better by only {gain}")
    chosen = sorted(step.chosen, key=lambda other: (-other.rank, other.seq))
    lowest = round(chosen[-1].rank, 12) if chosen else 0.0
    if policy.sigma == 1 or round(candidate.rank, 12) < lowest or not chosen:
        best = ", ".join(f"{other.event.id} ({other.rank:.3g})" for other in chosen[:_SHOWN])
        more = f" and {len(chosen) - _SHOWN} more" if len(chosen) > _SHOWN else ""
        return ReasonDetail(Reason.BELOW, f"rank {candidate.rank:.3g}; chosen: {best or 'none'}{more}")
    distance = Distance.of(policy)
    apart = {other.seq: round(distance(candidate.event, other.event), 12) for other in chosen}
    nearest = min(chosen, key=lambda other: (apart[other.seq], -other.seq))
    return ReasonDetail(
        Reason.SIMILAR,
        f"rank {candidate.rank:.3g}, but at distance {apart[nearest.seq]:.3g} from {nearest.event.id} "
        f"({nearest.rank:.3g}), which was chosen",
    )


def _of_filter(cause: StopCause, policy: Policy) -> Reason:
    match cause:
        case StopCause.BUDGET:
            return Reason.BUDGET
        case StopCause.CHANCE:
            return Reason.CHANCE
        case StopCause.SCORE:
            by_score = policy.filter is not None and policy.filter.scoring is Scoring.SCORE
            return Reason.BELOW if by_score else Reason.SEEN
