"""Functions that a program registers under a name (semantics: Preference)."""

import subprocess
import sys

import pytest

from rankcast.errors import ModelError, RecordError
from rankcast.language import decode_record, encode_record, parse
from rankcast.model import AGGREGATES, LEVELS, Aggregate, Policy, Preference, Subscription
from rankcast.rank import event_rank, scores


def harmonic(values, weights):
    return 0.0 if 0 in values else len(values) / sum(1 / value for value in sorted(values))


@pytest.fixture
def registered(monkeypatch):
    for registry in (AGGREGATES, LEVELS):
        monkeypatch.setattr(registry, "_functions", {})
    AGGREGATES.register("harmonic", harmonic)
    LEVELS.register("thirds", lambda level, count: 3.0 ** (1 - level))


def test_a_policy_chooses_it_by_name(registered):
    form = {"kind": "policy", "user": "ann", "aggregate": "harmonic", "levels": "thirds"}
    policy = decode_record(form)
    assert isinstance(policy, Policy)
    assert (policy.aggregate, policy.levels) == ("harmonic", "thirds")
    assert encode_record(policy) == form
    assert event_rank([0.5, 1.0], [1.0, 1.0], policy.aggregate) == pytest.approx(2 / 3)
    mine = [Subscription(name, "ann", parse(f"x = '{name}'")) for name in "ab"]
    assert scores(mine, [Preference("ann", "a", "b")], policy.levels) == {"a": 1.0, "b": 1 / 3}


def test_the_built_in_ones_stay(registered):
    assert decode_record({"kind": "policy", "user": "ann", "aggregate": "min"}).aggregate is Aggregate.MIN
    with pytest.raises(ModelError, match="'max' cannot name an aggregate"):
        AGGREGATES.register("max", harmonic)


def test_an_unknown_name_is_refused_with_all_known_ones(registered):
    with pytest.raises(RecordError, match="'harmonc'; it is one of max, min, mean, weighted, harmonic; did you mean"):
        decode_record({"kind": "policy", "user": "ann", "aggregate": "harmonc"})
    with pytest.raises(ModelError, match="one of linear, inverse, halving, thirds"):
        Policy("ann", levels="quarters")


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda level, count: 1.0, "level 2 of 2 scores 1.0, which is not below 1.0"),
        (lambda level, count: 2.0 - level, "level 3 of 3 scores -1.0; it must lie in 0..1"),
        (lambda level, count: 1 / level if count < 50 else 0.5, "which is not below 0.5"),
    ],
)
def test_levels_must_fall_strictly_within_0_and_1(registered, function, reason):
    with pytest.raises(ModelError, match=reason):
        LEVELS.register("wrong", function)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda values, weights: sum(values) + 1, "it must lie in 0..1"),
        (lambda values, weights: values[0], "depends on the order"),
        (lambda values, weights: 1 - max(values), "falls where all scores rise"),
    ],
)
def test_an_aggregate_must_be_a_rank(registered, function, reason):
    with pytest.raises(ModelError, match=reason):
        AGGREGATES.register("wrong", function)


def test_what_a_registered_function_returns_is_checked_again(registered):
    AGGREGATES.register("sum", lambda values, weights: sum(sorted(values)) if len(values) < 3 else 7.0)
    with pytest.raises(ModelError, match="aggregate 'sum' of the scores"):
        event_rank([0.1, 0.1, 0.1], [1.0] * 3, "sum")
    LEVELS.register("steep", lambda level, count: 1 - level / 150)
    mine = [Subscription(f"s{number}", "ann", parse("x exists")) for number in range(200)]
    pairs = [Preference("ann", f"s{number}", f"s{number + 1}") for number in range(199)]
    with pytest.raises(ModelError, match="level 151 of 200"):
        scores(mine, pairs, "steep")


def test_another_process_finds_it_in_the_named_module(tmp_path, monkeypatch):
    source = (
        "from rankcast.model import AGGREGATES\nAGGREGATES.register('lowest', lambda scores, weights: min(scores))\n"
    )
    (tmp_path / "our_functions.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{sys.path[0]}", prepend=":")
    monkeypatch.setenv("RANKCAST_FUNCTIONS", "our_functions")
    told = "from rankcast.rank import event_rank; print(event_rank([0.5, 1.0], [1.0, 1.0], 'lowest'))"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "0.5\n"
