"""The explanation of why an event was sent to a user or not, for people and for programs."""

from dataclasses import dataclass

from rankcast.language import label, show
from rankcast.model import Event, Mode, Policy, Subscription
from rankcast.plain import JsonObject

__all__ = ["Decision", "Explanation", "MatchedSubscription", "Rival"]


@dataclass(frozen=True, slots=True)
class MatchedSubscription:
    """One of the user's subscriptions, and its result for the event."""

    subscription: Subscription
    score: float
    matches: bool
    degree: float
    specific: bool
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rival:
    """An event that was chosen in the same decision, with its rank and its distance to the explained event."""

    event: str
    rank: float
    distance: float


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision in which the event was a candidate."""

    window: int
    forwarded: str
    rank: float
    candidates: int
    chosen: bool
    sent: bool
    rivals: tuple[Rival, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of why an event was sent to a user or not.

    `decision` is the one that sent the event, or else the last one in which it was a candidate; None if there was
    none. `rank` and its `parts` are as of that decision, or else as of publication; the two differ in recency.
    `withheld` says why a matching event did not reach the user at all: its publisher chose other recipients.
    """

    user: str
    event: Event
    policy: Policy
    interests: tuple[MatchedSubscription, ...]
    rank: float | None
    parts: str
    decisions: int
    decision: Decision | None
    withheld: str = ""

    @property
    def verdict(self) -> str:
        """One sentence: sent or not, and the reason."""
        if self.withheld:
            return f"not sent: {self.withheld}"
        if self.rank is None:
            return f"not sent: none of the {len(self.interests)} subscriptions of {self.user!r} matches"
        if self.decision is None:
            return f"not sent yet: it waits for the end of its period, with rank {self.rank:.3g}"
        top = f"the top {self.policy.k}" if self.policy.k else "everything"
        where = _place(self.policy.mode, self.decision)
        if self.decision.sent:
            return f"sent {where}: rank {self.rank:.3g}, in {top} of {_count(self.decision.candidates)}"
        if self.decision.note and not self.decision.chosen:
            return f"not sent: {self.decision.note}"
        if self.decision.chosen:
            return f"not sent yet: it passed the filter and waits for the end of its period, with rank {self.rank:.3g}"
        better = ", ".join(f"{rival.event} ({rival.rank:.3g})" for rival in self.decision.rivals)
        return f"not sent: rank {self.rank:.3g} was never in {top}; {where} that was {better}"

    def lines(self) -> list[str]:
        """The explanation as lines for people."""
        lines = [f"{self.event.id} for {self.user}: {self.verdict}", ""]
        for interest in self.interests:
            mark = "*" if interest.specific else "+" if interest.matches else "-"
            said = f"{interest.subscription.id}  score {interest.score:.3g}  {label(interest.subscription.where)}"
            degree = f"  (degree {interest.degree:.3g})" if interest.matches and interest.degree < 1 else ""
            lines.append(f"  {mark} {said}{degree}")
            if not interest.matches:
                lines += [f"      {reason}" for reason in interest.why]
        lines.append("  (* matches and is most specific, + matches, - does not match)")
        if self.parts:
            lines += ["", f"  rank {self.parts}"]
        if self.decision is not None and self.decision.rivals:
            lines += ["", "  chosen beside it:" if self.decision.chosen else "  chosen instead:"]
            lines += [
                f"    {rival.event}  rank {rival.rank:.3g}  distance {rival.distance:.3g}"
                for rival in self.decision.rivals
            ]
        return lines

    def to_json(self) -> JsonObject:
        """The explanation for programs."""
        decision = self.decision
        return {
            "user": self.user,
            "event": self.event.id,
            "sent": bool(decision and decision.sent),
            "verdict": self.verdict,
            "rank": self.rank,
            "parts": self.parts,
            "subscriptions": [
                {
                    "id": interest.subscription.id,
                    "where": show(interest.subscription.where),
                    "score": interest.score,
                    "matches": interest.matches,
                    "degree": interest.degree,
                    "most_specific": interest.specific,
                    "why": list(interest.why),
                }
                for interest in self.interests
            ],
            "decisions": self.decisions,
            "decision": decision
            and {
                "window": decision.window,
                "forwarded": decision.forwarded,
                "candidates": decision.candidates,
                "chosen": decision.chosen,
                "note": decision.note,
                "others": [
                    {"event": rival.event, "rank": rival.rank, "distance": rival.distance} for rival in decision.rivals
                ],
            },
        }


def _place(mode: Mode, decision: Decision) -> str:
    match mode:
        case Mode.PERIODIC:
            return f"at the end of period {decision.window}"
        case Mode.SLIDING:
            return f"in the window at event {decision.window}"
        case Mode.ALL | Mode.HISTORY:
            return f"at event {decision.window}"


def _count(candidates: int) -> str:
    return "1 candidate" if candidates == 1 else f"{candidates} candidates"
