"""How far back the decisions about an event depend on what was published before it."""

from rankcast.model import Mode, Policy, ScorePart, Unit
from rankcast.model.declared import given

_HONOURED = frozenset(
    (
        "user",
        "mode",
        "k",
        "length",
        "sigma",
        "aggregate",
        "specific",
        "levels",
        "norm",
        "select",
        "objective",
        "distance",
        "weights",
        "attributes",
        "score",
        "authority",
        "half_life",
        "origin",
    )
)
"""The policy fields of which it is known what they depend on. Any other field counts as dependent on all history."""


def needs_history(policy: Policy) -> bool:
    """Whether a decision depends on more than the events of its own window or period.

    This holds for filters and for novelty, which count what came before; for mode `history`, in which each decision
    depends on the previous one; and for periods of matching events, which are counted from the first match.

    >>> from rankcast.model import Length
    >>> needs_history(Policy("ann", Mode.SLIDING, 3, Length(10))), needs_history(Policy("ann", Mode.HISTORY, 3, Length(10)))
    (False, True)
    """
    counts_matches = policy.length is not None and policy.length.unit is Unit.MATCHED
    return (
        not given(policy) <= _HONOURED
        or policy.mode is Mode.HISTORY
        or (policy.mode is Mode.PERIODIC and counts_matches)
        or policy.score.get(ScorePart.NOVELTY, 0) > 0
    )
