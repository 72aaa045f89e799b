"""Every rule of every experiment says yes to a result as the paper states it, and no to one that contradicts it."""

import sys
from pathlib import Path

import pytest

from rankcast.lab.reproduce import Rule, experiments

FOLDER = Path(__file__).parents[2] / "experiments"
experiments(FOLDER)
RULES = {
    f"{path.stem}.{name}": value
    for path in sorted(FOLDER.glob("*.py"))
    for name, value in vars(sys.modules[f"experiments.{path.stem}"]).items()
    if isinstance(value, Rule)
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_accepts_its_example_and_rejects_its_contradiction(name: str) -> None:
    rule = RULES[name]
    assert rule(*rule.example), f"{name} must hold for {rule.example}: {rule.statement}"
    assert not rule(*rule.contradiction), f"{name} must fail for {rule.contradiction}: {rule.statement}"


def test_rules_are_module_constants_so_that_none_is_left_out() -> None:
    """`Rule(...)` inside a function would escape the test above."""
    for path in FOLDER.glob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "Rule(" in line and not line.startswith("from"):
                assert not line.startswith(" "), f"{path.name}:{number}: make this rule a constant of the module"
