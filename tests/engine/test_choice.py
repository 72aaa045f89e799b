"""Which engine serves: the faster one, also while the loops over arrays are still to be compiled."""

import pytest

from rankcast.engine import warming
from rankcast.engine.choice import LESS_THAN_COMPILING, is_served_before_compiled
from rankcast.language import decode_record
from rankcast.model import Catalog, policy_cost


@pytest.fixture
def catalog() -> Catalog:
    records = [
        {"kind": "policy", "user": "ann", "mode": "sliding", "k": 3, "length": 3000, "sigma": 0.5},
        {"kind": "subscription", "id": "a", "user": "ann", "where": "x > 0"},
        {"kind": "subscription", "id": "b", "user": "ben", "where": "x > 0"},
    ]
    return Catalog([decode_record(record) for record in records])


@pytest.mark.parametrize("is_compiled", [False, None, True])
def test_loops_are_not_compiled_for_what_takes_less(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, is_compiled: bool | None
) -> None:
    monkeypatch.setattr(warming, "are_compiled", lambda: is_compiled)
    few = int(LESS_THAN_COMPILING * 1e6 / policy_cost(catalog.policy_of("ann")))
    assert is_served_before_compiled(catalog, ["a"] * few) is not is_compiled
    assert is_served_before_compiled(catalog, ["b"] * 10 * few) is not is_compiled, "plain users cost less"
    assert not is_served_before_compiled(catalog, ["a"] * (few + 1))
