"""Which policies arrays can serve."""

from rankcast.model import Mode, ObjectiveName, Policy, ScorePart, Select
from rankcast.model.declared import given

_HONOURED = frozenset(
    (
        "user",
        "mode",
        "k",
        "length",
        "sigma",
        "calm",
        "aggregate",
        "specific",
        "levels",
        "norm",
        "ties",
        "select",
        "objective",
        "distance",
        "weights",
        "attributes",
        "score",
        "authority",
        "half_life",
        "filter",
        "origin",
        "novelty",
        "decay",
    )
)
"""The policy fields that arrays support; the reference engine serves a policy with any other field."""

_MODES = frozenset((Mode.ALL, Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY))
"""The delivery modes that arrays support; the reference engine serves users of any other mode."""

_MOST_DIVERSE = 10
"""The largest k of diverse sliding windows that arrays serve live. They compute n * k distances when a choice starts over
in a window of n, because they keep none from batch to batch. The reference engine keeps them, and is faster for larger k
if batches are small."""


def suits(policy: Policy, is_live: bool = False) -> bool:
    """Whether arrays can serve the mode of a policy, and serve it fast: live, batches are small.

    They support the fields in `_HONOURED`, and no criterion besides preference. With diversity, they support no exact
    search, in live sliding windows only choices of up to `_MOST_DIVERSE` events, and of the objective `max_min` only the
    greedy choice in windows that are not calm.
    """
    if not given(policy) <= _HONOURED or policy.mode not in _MODES:
        return False
    by_preference = all(part is ScorePart.PREFERENCE for part, weight in policy.score.items() if weight > 0)
    selects = policy.mode in (Mode.PERIODIC, Mode.SLIDING) and policy.sigma < 1
    if is_live and selects and policy.mode is Mode.SLIDING and (policy.k or 0) > _MOST_DIVERSE:
        return False
    if policy.objective is ObjectiveName.MAX_MIN and policy.mode is not Mode.ALL and policy.sigma < 1:
        return by_preference and selects and policy.select is Select.GREEDY and not policy.calm
    return by_preference and (not selects or policy.select in (Select.GREEDY, Select.IMPROVED))
