"""Limits on what a record costs with every event: the size of an expression, the cost of a policy."""

from rankcast.errors import PolicyCostError
from rankcast.model import (
    Advertisement,
    And,
    Expression,
    Not,
    Or,
    Policy,
    Record,
    Select,
    Subscription,
    check_policy_cost,
    predicates_of,
)
from rankcast.service.problems import Problem
from rankcast.service.settings import Limits


def check_cost(record: Record, limits: Limits) -> None:
    """Refuse a record that would cost too much with every event: a large expression, or a policy over the limit."""
    if isinstance(record, Policy):
        try:
            check_policy_cost(record, limits.policy_cost)
        except PolicyCostError as error:
            raise Problem(422, "limit", str(error), pointer=_pointer(record)) from None
    if not isinstance(record, Subscription | Advertisement):
        return
    count = sum(1 for _ in predicates_of(record.where))
    if count > limits.predicates:
        raise Problem(
            422,
            "limit",
            f"an expression of {count:,} predicates; here the limit is {limits.predicates:,}",
            pointer="/where",
        )
    if _depth(record.where) > limits.depth:
        raise Problem(422, "limit", f"an expression nested more than {limits.depth} levels deep", pointer="/where")


def _pointer(policy: Policy) -> str:
    return "/select" if policy.select is Select.EXACT else "/k"


def _depth(where: Expression) -> int:
    deepest, pending = 0, [(where, 0)]
    while pending:
        part, depth = pending.pop()
        deepest = max(deepest, depth)
        match part:
            case And(parts) | Or(parts):
                pending += [(child, depth + 1) for child in parts]
            case Not(child):
                pending.append((child, depth + 1))
    return deepest
