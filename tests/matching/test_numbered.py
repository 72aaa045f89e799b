"""Distinct values and their numbers without sorting are those of `np.unique`."""

import numpy as np
import pytest

from rankcast.matching.batch import numbered


@pytest.mark.parametrize("spread", [1, 30, 1_000, 10**12])
@pytest.mark.parametrize("count", [0, 1, 200])
def test_the_result_is_that_of_sorting(spread, count):
    values = np.random.default_rng(1).integers(-spread, spread, count)
    found, expected = numbered(values), np.unique(values, return_inverse=True)
    assert [column.tolist() for column in found] == [column.tolist() for column in expected]
