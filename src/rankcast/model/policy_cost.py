"""The cost of a policy per matching event."""

from datetime import timedelta
from math import comb

from rankcast.errors import PolicyCostError
from rankcast.model.policies import Length, Mode, ObjectiveName, Policy, Scoring, Select, Unit

_BASE = 20.0
"""Microseconds to rank an event and record it."""
_HELD = 0.005
"""Microseconds to look at one event of a window by rank."""
_CHOICE = 300.0
"""Microseconds for one choice with diversity. This and the following constants are calibrated by
`benchmarks/selection.py` with events that are equally good and equally far apart; other events take a sixth of the
time.
"""
_CHOICE_HELD = 2.0
"""Microseconds that each event of the window adds to a choice with diversity."""
_PAIRS = {Select.GREEDY: (0.024, 0.027), Select.IMPROVED: (0.060, 0.069)}
"""Microseconds to look at one pair of a candidate and a chosen event: in windows of up to 2,048 events, and in longer
ones."""
_CALM = 0.5
"""The share of a choice that a calm window adds for the two values, besides looking at each pair once more."""
_LONG = 2_048
_HELD_BY_TIME = 1_000
"""Assumed number of events in a window of time. The real number depends on the publishers."""
_EXACT_EASY = 30
"""Up to this many candidates, the exact optimum is found quickly; with more it may take seconds."""
_EXACT_HARD = 1_000_000.0
_EXACT_HELD = 100.0
_EXACT_SET = 0.0005
"""Microseconds that each set of k candidates adds to the search for the optimum, which looks at few of the sets."""
_SWAPS_PLAINLY = 6.0
"""Microseconds to look at one pair of a candidate and a chosen event if swaps are not compiled (`max_min`)."""
_VALUE_PLAINLY = 0.15
"""Microseconds that each triple of a list adds to a swap with `max_min` in mode `history`."""
_EXACT_SET_PLAINLY = 30.0
"""Microseconds for each set of k candidates if the search for the optimum is not compiled (`max_min`)."""
_PERIODS = 20
"""A choice made once per period counts as one part in this many of a choice made with every event."""
MOST_POLICY_COST = 5_000.0
"""The default limit on the cost of a policy, in microseconds."""


def policy_cost(policy: Policy) -> float:
    """Estimated worst-case microseconds on one core for an event that matches the user; monotone in `k` and `length`.

    The end of a period comes once in many events, so it counts a twentieth. A window of time counts as 1,000 events.
    `exact` counts all sets of k events; in a window of more than 30 events, each of the events adds a second.

    >>> policy_cost(Policy("ann"))
    20.0
    >>> policy_cost(Policy("ann", Mode.SLIDING, 10, Length(1000))) < policy_cost(Policy("ann", Mode.SLIDING, 10, Length(1000), 0.5))
    True
    """
    cost = _BASE
    if policy.filter is not None and policy.filter.scoring is not Scoring.SCORE:
        cost += _HELD * policy.filter.period
    if policy.mode is Mode.ALL or policy.k is None:
        return cost
    held = _held(policy.length) if policy.mode is not Mode.HISTORY else policy.k
    k = min(policy.k, held)
    cost += _HELD * held
    if policy.objective is ObjectiveName.MAX_MIN and policy.sigma < 1:
        cost += _max_min_cost(policy, held, k)
    if policy.select is Select.EXACT:
        cost += (
            held * _EXACT_HARD
            if held > _EXACT_EASY
            else held * _EXACT_HELD + comb(held, min(k, held // 2)) * _EXACT_SET
        )
    elif policy.sigma < 1:
        choice = _CHOICE + _CHOICE_HELD * held + _PAIRS[policy.select][held > _LONG] * held * k
        cost += choice / _PERIODS if policy.mode is Mode.PERIODIC else choice
    return cost + _calm_cost(policy, held, k)


def _max_min_cost(policy: Policy, held: int, k: int) -> float:
    """What the objective `max_min` adds where its loops are not compiled."""
    if policy.mode is Mode.HISTORY:
        return _VALUE_PLAINLY * k**3
    if policy.select is Select.EXACT:
        return comb(held, min(k, held // 2)) * _EXACT_SET_PLAINLY if held <= _EXACT_EASY else 0.0
    added = _SWAPS_PLAINLY * held * k if policy.select is Select.IMPROVED else 0.0
    return added / _PERIODS if policy.mode is Mode.PERIODIC else added


def _calm_cost(policy: Policy, held: int, k: int) -> float:
    """What it adds to fill up the set of a calm window and to compare it with the new one."""
    if policy.mode is not Mode.SLIDING or not policy.calm:
        return 0.0
    return _CALM * (_CHOICE + _CHOICE_HELD * held) + _PAIRS[Select.GREEDY][held > _LONG] * held * k


def check_policy_cost(policy: Policy, most: float = MOST_POLICY_COST) -> None:
    """Refuse a policy that costs more than `most` microseconds."""
    cost = policy_cost(policy)
    if cost > most:
        raise PolicyCostError(
            f"the policy may cost {cost:,.0f} µs with every matching event, and the limit is {most:,.0f} µs; "
            f"what would lower it: {_what_lowers(policy)}"
        )


def _what_lowers(policy: Policy) -> str:
    """The change that would lower the cost most, in words."""
    if policy.select is Select.EXACT:
        return f"choose 'greedy', a smaller k, or a length of at most {_EXACT_EASY} events"
    if policy.select is Select.IMPROVED and policy.sigma < 1:
        return "choose 'greedy', a smaller k, or a shorter length"
    if policy.sigma < 1:
        return "a smaller k, a shorter length, or sigma 1"
    if policy.mode is Mode.SLIDING and policy.calm:
        return "calm 0, a smaller k, or a shorter length"
    return "a shorter length, or a shorter period of the filter"


def _held(length: Length | None) -> int:
    if length is None:
        return 0
    if length.unit is Unit.TIME or isinstance(length.amount, timedelta):
        return _HELD_BY_TIME
    return length.amount
