"""``rankcast concept``."""

import json
from typing import Any

import pytest

FORMS = [
    (["--trapezoid", "0", "0", "500", "900"], {"trapezoid": [0, 0, 500, 900]}),
    (["--trapezoid", "-9", "-5", "-1", "0"], {"trapezoid": [-9, -5, -1, 0]}),
    (["--triangle", "1", "2", "3"], {"triangle": [1, 2, 3]}),
    (["--between", "1", "2"], {"between": [1, 2]}),
    (["--left-shoulder", "1", "2"], {"left_shoulder": [1, 2]}),
    (["--right-shoulder", "1", "2"], {"right_shoulder": [1, 2]}),
    (["--gaussian", "10", "2.5"], {"gaussian": [10, 2.5]}),
    (["--point", "0=0", "--point", "5=1", "--point", "9=0.5"], {"piecewise": [[0, 0], [5, 1], [9, 0.5]]}),
    (["--value", "new=0", "--value", "worn=1"], {"table": {"new": 0, "worn": 1}}),
]


def listed(rankcast: Any, *options: str, code: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in rankcast("concept", *options, code=code).stdout.splitlines()]


@pytest.mark.parametrize(("options", "form"), FORMS)
def test_every_form(store: Any, options: list[str], form: dict[str, Any]) -> None:
    expected = {"kind": "concept", "name": "big", "attribute": "x", **form}
    assert json.loads(store("concept", "big", "--attribute", "x", *options, "--json").stdout) == expected
    assert listed(store) == [expected]


def test_everybodys_and_ones_own(store: Any) -> None:
    store("concept", "big", "--attribute", "x", "--between", "1", "2")
    store("concept", "big", "--attribute", "x", "--between", "3", "4", "--user", "ann")
    store("concept", "small", "--attribute", "x", "--between", "0", "1")
    assert len(listed(store)) == 3
    assert len(listed(store, "big")) == 2
    (own,) = listed(store, "big", "--user", "ann")
    assert own["between"] == [3, 4]
    assert listed(store, "huge", code=1) == []


def test_remove(store: Any) -> None:
    store("concept", "big", "--attribute", "x", "--between", "1", "2")
    store("subscribe", "--user", "ann", "x is big")
    assert "in use" in store("concept", "big", "--remove", code=1).stderr
    store("unsubscribe", "ann-1")
    assert store("concept", "big", "--remove").stderr == "removed big on x\n"
    assert "0 concepts match" in store("concept", "big", "--remove", code=1).stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["big", "--between", "1", "2"], "--attribute"),
        (["big", "--attribute", "x", "--between", "2", "1"], "ascending"),
        (["big", "--attribute", "x", "--between", "1", "2", "--triangle", "1", "2", "3"], "'between'"),
        (["big", "--attribute", "x", "--point", "a=1"], "'a' is not a number"),
        (["big", "--attribute", "x", "--value", "a=2"], "outside 0..1"),
        (["big", "--attribute", "x", "--between", "nan", "2"], "not a number"),
    ],
)
def test_mistakes(store: Any, options: list[str], said: str) -> None:
    assert said in " ".join(store("concept", *options, code=2).stderr.replace("│", "").split())
    assert listed(store) == []
