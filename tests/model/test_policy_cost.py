"""What a policy costs with every event, and its limit."""

from dataclasses import replace
from datetime import timedelta

import pytest

from rankcast.errors import PolicyCostError
from rankcast.language import PRESETS, decode_record
from rankcast.model import Length, Mode, Policy, Select, Unit, check_policy_cost, policy_cost


def sliding(k: int, length: int, sigma: float = 0.5, select: Select = Select.GREEDY) -> Policy:
    return Policy("ann", Mode.SLIDING, k, Length(length), sigma, select=select)


def test_it_grows_with_what_is_asked_for() -> None:
    assert policy_cost(Policy("ann")) < policy_cost(sliding(5, 100, 1.0)) < policy_cost(sliding(5, 100))
    assert policy_cost(sliding(5, 100)) < policy_cost(sliding(50, 100)) < policy_cost(sliding(50, 1_000))
    assert policy_cost(sliding(50, 1_000)) < policy_cost(sliding(50, 1_000, select=Select.IMPROVED))


def test_calm_adds_at_most_what_a_choice_costs() -> None:
    for sigma in (0.5, 1.0):
        plain = sliding(50, 1_000, sigma)
        added = policy_cost(replace(plain, calm=0.1)) - policy_cost(plain)
        assert 0 < added <= policy_cost(sliding(50, 1_000))
    periodic = Policy("ann", Mode.PERIODIC, 5, Length(100), 0.5)
    assert policy_cost(replace(periodic, calm=0.1)) == policy_cost(periodic)
    with pytest.raises(PolicyCostError, match="calm 0"):
        check_policy_cost(replace(sliding(1_000, 100_000, 1.0), calm=0.1))


@pytest.mark.parametrize("name", PRESETS)
def test_ready_policies_are_admitted(name: str) -> None:
    made = decode_record({"kind": "policy", "user": "ann", **PRESETS[name].fields})
    assert isinstance(made, Policy)
    check_policy_cost(made)


def test_ordinary_ones_are_admitted() -> None:
    check_policy_cost(sliding(50, 200, select=Select.IMPROVED))
    check_policy_cost(sliding(50, 1_000))
    check_policy_cost(sliding(5, 30, select=Select.EXACT))
    check_policy_cost(sliding(10, 20, select=Select.EXACT))
    check_policy_cost(Policy("ann", Mode.PERIODIC, 20, Length(timedelta(days=1), Unit.TIME), 0.5))


@pytest.mark.parametrize(
    ("policy", "lower"),
    [
        (sliding(200, 1_000, select=Select.IMPROVED), "'greedy'"),
        (sliding(10, 31, select=Select.EXACT), "at most 30 events"),
        (sliding(15, 30, select=Select.EXACT), "a smaller k"),
        (Policy("ann", Mode.SLIDING, 3, Length(timedelta(hours=1), Unit.TIME), 0.5, select=Select.EXACT), "'greedy'"),
        (sliding(1_000, 1_000_000), "smaller k"),
        (Policy("ann", Mode.PERIODIC, 1_000, Length(1_000_000), 0.5), "smaller k"),
    ],
)
def test_what_costs_too_much_is_refused_with_what_would_lower_it(policy: Policy, lower: str) -> None:
    with pytest.raises(PolicyCostError, match="the limit is 5,000 µs") as refused:
        check_policy_cost(policy)
    assert lower in str(refused.value)
    check_policy_cost(policy, 1e12)
