"""What became of an event for a user, as a short sentence for people."""

from collections.abc import Mapping
from typing import assert_never

from rankcast.engine.explain import Explanation, Reason
from rankcast.wording import capitalised


def outcome_words(explanation: Explanation, titles: Mapping[str, str]) -> str:
    """Why an event was sent to a user or not, with the deciding cause first.

    `titles` are the titles of the events that were chosen in its place; events without one are named by their ids.
    """
    decision = explanation.decision
    cause = None if decision is None or explanation.remark or explanation.sent else decision.cause
    if cause is None or decision is None or (explanation.outcome is not None and not explanation.outcome.is_served):
        return capitalised(explanation.verdict.removeprefix("not sent: "))
    rivals = sorted(decision.rivals, key=lambda rival: -rival.rank)
    match cause.reason:
        case Reason.SIMILAR:
            nearest = min(rivals, key=lambda rival: rival.distance)
            return f"Left out for variety: too like {titles.get(nearest.event, nearest.event)}"
        case Reason.BELOW if rivals:
            best = "the best" if len(rivals) == 1 else f"the {len(rivals)} best"
            least = titles.get(rivals[-1].event, rivals[-1].event)
            return f"Rank {decision.rank:.2g}: {best} had {rivals[-1].rank:.2g} or more, such as {least}"
        case Reason.BUDGET:
            return f"The budget is spent: {cause.detail}"
        case Reason.SEEN:
            return f"Not new enough: {cause.detail}"
        case Reason.BELOW | Reason.CALM | Reason.CHANCE | Reason.PUBLISHER | Reason.UNSUBSCRIBED:
            return f"{capitalised(cause.reason.label)}: {cause.detail}"
        case other:
            assert_never(other)
