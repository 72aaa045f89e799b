"""The explanation of why an event was sent to a user or not, for people and for programs."""

from dataclasses import dataclass
from html import escape

from rankcast.engine.explain.reasons import Reason, ReasonDetail
from rankcast.language import label, show
from rankcast.model import Delivery, Event, Mode, Policy, Subscription
from rankcast.plain import JsonObject


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
    cause: ReasonDetail | None = None
    """Why it was not chosen; None if it was."""


@dataclass(frozen=True, slots=True)
class EventOutcome:
    """What the log of a store says about an event and a user.

    `is_served` says whether the pipeline has reached the event. `is_retraced` says whether a replay of the log makes
    the same decision. `error` is why the event was set aside, if it was. `skipped` is the number of earlier events
    that the decision may depend on and that were not replayed.
    """

    delivery: Delivery | None
    is_served: bool = True
    is_retraced: bool = True
    error: str = ""
    skipped: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The explanation of why an event was sent to a user or not.

    `decision` is the one that sent the event, or else the last one that deferred it, or else the last one in which it
    was a candidate; None if there was none. `rank` and its `parts` are as of that decision, or else as of publication; the two differ in recency.
    `withheld` says why a matching event did not reach the user at all: its publisher chose other recipients.
    `outcome` is what the log of a store says; where the two differ, the log is right.
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
    outcome: EventOutcome | None = None

    @property
    def sent(self) -> bool:
        """Whether the event was sent."""
        if self.outcome is not None:
            return self.outcome.delivery is not None
        return self.decision is not None and self.decision.sent

    @property
    def remark(self) -> str:
        """What limits this explanation; empty if it is exact."""
        outcome = self.outcome
        if outcome is None or outcome.is_retraced or not outcome.is_served or outcome.error:
            return ""
        if outcome.skipped:
            return (
                f"the first {outcome.skipped:,} events were not replayed, so the log shows what was decided, "
                "but not everything that led to it"
            )
        return "a replay of the log decides differently, so the log shows what was decided, but not what led to it"

    @property
    def verdict(self) -> str:
        """One sentence: sent or not, and the reason."""
        outcome = self.outcome
        if outcome is None or (outcome.is_served and outcome.is_retraced):
            return self._replayed
        if outcome.delivery is not None:
            place = _place(self.policy.mode, outcome.delivery.window)
            return f"sent {place}: rank {outcome.delivery.rank:.3g}"
        if not outcome.is_served:
            return f"not served yet; by what is published so far: {self._replayed}"
        if outcome.error:
            return (
                f"not sent: it could not be served ({outcome.error}) and is set aside; see rankcast rejects --set-aside"
            )
        return "not sent: the log has no delivery of it"

    @property
    def _replayed(self) -> str:
        """The verdict of the replay."""
        if self.withheld:
            return f"not sent: {self.withheld}"
        if self.rank is None:
            several = f"none of the {len(self.interests)} subscriptions of {self.user!r} matches"
            return f"not sent: {several if len(self.interests) > 1 else f'the subscription of {self.user!r} does not match'}"
        if self.decision is None:
            return f"not sent yet: it waits for the end of its period, with rank {self.rank:.3g}"
        top = f"the top {self.policy.k}" if self.policy.k else "everything"
        where = _place(self.policy.mode, self.decision.window)
        if self.decision.sent:
            return f"sent {where}: rank {self.rank:.3g}, {self._chosen(top, self.decision.candidates)}"
        if self.decision.note and not self.decision.chosen:
            return f"not sent: {self.decision.note}"
        if self.decision.chosen:
            return f"not sent yet: it passed the filter and waits for the end of its period, with rank {self.rank:.3g}"
        better = ", ".join(f"{rival.event} ({rival.rank:.3g})" for rival in self.decision.rivals)
        cause = self.decision.cause
        if cause is not None and cause.reason is Reason.CALM:
            return f"not sent: {cause.detail}"
        if cause is not None and cause.reason is Reason.SIMILAR:
            return f"not sent: left out for variety, {cause.detail}; {where} {top} was {better}"
        return f"not sent: rank {self.rank:.3g} was never in {top}; {where} that was {better}"

    def _chosen(self, top: str, candidates: int) -> str:
        """Why the decision chose the event."""
        if self.policy.mode is Mode.ALL:
            return "as every match is" if self.policy.filter is None else "as everything is that passes the filter"
        if candidates <= (self.policy.k or 0):
            return "the only candidate" if candidates == 1 else f"one of only {candidates} candidates for {top}"
        return f"in {top} of {candidates:,} candidates"

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
        if self.remark:
            lines += ["", f"  {self.remark}"]
        if self.parts:
            lines += ["", f"  rank {self.parts}"]
        if self.decision is not None and self.decision.rivals:
            lines += ["", "  chosen beside it:" if self.decision.chosen else "  chosen instead:"]
            lines += [
                f"    {rival.event}  rank {rival.rank:.3g}  distance {rival.distance:.3g}"
                for rival in self.decision.rivals
            ]
        return lines

    def __repr__(self) -> str:
        return f"<{self.event.id} for {self.user}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """The explanation for a notebook."""
        marks = {True: "decides", False: "matches"}
        rows = "".join(
            f"<tr><td>{marks[one.specific] if one.matches else 'does not match'}</td><td>{escape(one.subscription.id)}</td>"
            f"<td>{escape(label(one.subscription.where))}</td><td>{one.score:.3g}</td></tr>"
            for one in self.interests
        )
        rivals = "" if self.decision is None else _rivals_html(self.decision)
        verdict = f"<p><b>{escape(self.event.id)} for {escape(self.user)}:</b> {escape(self.verdict)}</p>"
        return f"{verdict}<table><tbody>{rows}</tbody></table>{rivals}"

    def to_json(self) -> JsonObject:
        """The explanation for programs."""
        decision = self.decision
        return {
            "user": self.user,
            "event": self.event.id,
            "sent": self.sent,
            "verdict": self.verdict,
            "remark": self.remark,
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
                "cause": decision.cause and {"reason": decision.cause.reason.value, "detail": decision.cause.detail},
                "others": [
                    {"event": rival.event, "rank": rival.rank, "distance": rival.distance} for rival in decision.rivals
                ],
            },
        }


def _rivals_html(decision: Decision) -> str:
    """A bar for the rank of each event that was chosen in the same decision."""
    if not decision.rivals:
        return ""
    rows = "".join(
        f"<tr><td>{escape(rival.event)}</td><td><svg width='104' height='10' role='img' aria-label='rank {rival.rank:.3g}'>"
        f"<rect width='{max(100 * min(rival.rank, 1), 1):.0f}' height='10' fill='#2a78c6'/></svg></td>"
        f"<td>{rival.rank:.3g}</td><td>distance {rival.distance:.3g}</td></tr>"
        for rival in decision.rivals
    )
    return f"<p>Chosen {'beside it' if decision.chosen else 'instead'}:</p><table><tbody>{rows}</tbody></table>"


def _place(mode: Mode, window: int) -> str:
    match mode:
        case Mode.PERIODIC:
            return f"at the end of period {window}"
        case Mode.SLIDING:
            return f"in the window at event {window}"
        case Mode.ALL | Mode.HISTORY:
            return f"at event {window}"
