from datetime import UTC, datetime, timedelta, timezone

import pytest

from rankcast.errors import ModelError
from rankcast.model import Kind, check_scalar, identity, kind_of
from rankcast.model.values import check_values


def test_a_boolean_is_not_a_number():
    assert kind_of(True) is Kind.BOOLEAN
    assert identity(True) != identity(1)
    assert identity(1) == identity(1.0)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), 2**63, -(2**63) - 1, "a\ud800", datetime(2026, 1, 1)]
)
def test_values_that_cannot_be_compared_are_refused(value):
    with pytest.raises(ModelError):
        check_scalar(value)


def test_times_become_utc():
    there = datetime(2026, 5, 1, 20, tzinfo=timezone(timedelta(hours=2)))
    assert check_scalar(there) == datetime(2026, 5, 1, 18, tzinfo=UTC)
    assert check_scalar(there).tzinfo is UTC


def test_values_of_one_kind_may_be_several():
    assert check_values(("a", "b", "a")) == ("a", "b")
    assert check_values((True, False)) == (True, False)
    assert check_values((1, 1.0)) == (1.0,)
    assert check_values((1, 2, 1.0)) == (1.0, 2)
    with pytest.raises(ModelError, match="number and string"):
        check_values((1, "a"))
