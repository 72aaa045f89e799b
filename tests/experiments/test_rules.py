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


OTHER_CONTRADICTIONS = [
    ("approx_interval.FINDS_MORE", ([380, 900], [380, 380])),
    ("covering_fig5b.SMALLER_SHARE", ({"RegularCover": [0.7], "A": [1.5]}, {"RegularCover": [0.7], "A": [0.7]})),
    ("covering_fig5d.EXTREMES", ({"10-60 %": 1.6, "30-60 %": 1.5, "30-40 %": 3.1},)),
    ("covering_fig6a.GAIN_DOES_NOT_LAST", ([900, 950, 960, 970],)),
    ("covering_fig6b.FAIREST_AT_THREE", ([9.0, 5.0, 3.0, 2.0, 7.0],)),
    ("covering_fig6b.NEAR_GET_MORE", ([-0.1, 0.1, -0.5],)),
    ("covering_stale.NEAR_GET_MORE", ([0.9, 0.1, 0.05],)),
    ("dbrank_fig2.GENERAL_FALL_FASTER", ({"s1": 0.86, "s2": 0.43, "s3": 0.85, "s7": 0.86},)),
    ("debs_fig14.HIGHER", ({1.0: {4: 0.6}, 0.5: {4: 0.8}, 0.0: {4: 0.6}},)),
    ("debs_rank.FALLS", ([[0.9, 0.8, 0.8], [0.6, 0.5, 0.4]],)),
    ("debs_rank.SLIGHTLY_MORE", ([42, 80], [40, 80])),
    ("novelty_changes.VARIES_A_LITTLE", ([[3.3, 3.32, 3.2, 3.3]], 2)),
    ("novelty_common.SAME_ENTROPY", ((3.321, 3.26), (3.32, 3.275))),
    ("thesis_fig4_1.AROUND_ZERO", ((7.4, 0.3),)),
    ("thesis_fig4_10.NO_BETTER", (3.31, 3.3, 3.315)),
    ("thesis_fig4_10.LESS_STEADY", (7.4, 7.3, 12.0)),
    ("thesis_fig4_11.RISES", (3.3, 3.27, 3.31)),
    ("thesis_fig4_11.FALLS", (8.0, 9.0, 7.0)),
    ("thesis_fig4_12.SLOWER", (13, 30, 30)),
    ("thesis_fig4_16.EAGER_BETTER", ({"lazy, rate": 1, "eager, rate": 2, "lazy, interval": 2, "eager, interval": 2},)),
    ("thesis_fig4_8.RETAINS", ((3.2, 3.3), (2.32, 2.31))),
    ("thesis_fig4_9.AFFECTED", ((2.31, 2.2),)),
    ("thesis_fig4_9.INTERVAL_MORE", ((2.2, 2.15), (2.2, 2.25))),
]
"""For statements of two parts: a result that contradicts the part that the rule's own contradiction fulfils."""


@pytest.mark.parametrize(("name", "result"), OTHER_CONTRADICTIONS)
def test_a_rule_rejects_what_contradicts_only_a_part(name: str, result: tuple[object, ...]) -> None:
    assert not RULES[name](*result), f"{name} must fail for {result}: {RULES[name].statement}"


def test_rules_are_module_constants_so_that_none_is_left_out() -> None:
    """`Rule(...)` inside a function or a collection would escape the tests above."""
    for path in FOLDER.glob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "Rule(" in line:
                name = line.split(" = Rule(")[0]
                assert f"{path.stem}.{name}" in RULES, f"{path.name}:{number}: make this rule a constant of the module"
