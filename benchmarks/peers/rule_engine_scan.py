"""rule-engine: evaluates every rule for every event."""

import rule_engine
from common import run


def _text(row):
    name, op, *values = row
    shown = [f'"{value}"' if isinstance(value, str) else str(value) for value in values]
    if op == "between":
        return f"({name} >= {shown[0]} and {name} <= {shown[1]})"
    if op == "contains":
        return f"{shown[0]} in {name}"
    if op == "startswith":
        return f"{name}.starts_with({shown[0]})"
    return f"{name} == {shown[0]}"


def build(subscriptions):
    """The rules, and a function that evaluates all of them for each event."""
    context = rule_engine.Context(default_value=None)
    rules = []
    for one in subscriptions:
        outer, inner = (" or ", " and ") if one["dnf"] else (" and ", " or ")
        parts = ["(" + inner.join(_text(row) for row in clause) + ")" for clause in one["clauses"]]
        rules.append((one["id"], rule_engine.Rule(outer.join(parts), context=context)))

    def match(events):
        return [[number for number, rule in rules if _holds(rule, event)] for event in events]

    return match


def _holds(rule, event):
    try:
        return rule.matches(event)
    except rule_engine.errors.EvaluationError:  # an attribute that the event lacks is null, which has no order
        return False


run(build, 1)
