"""The numbers of the kernels are Python's."""

import importlib
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast import compiling
from rankcast.choose.numbers import exact_sum, grid_steps
from rankcast.choose.ties import on_grid

UNIT = st.floats(0, 1)


@given(st.one_of(UNIT, st.integers(0, 2**20).map(lambda n: n / 2**20), st.integers(0, 10**13).map(lambda n: n / 1e13)))
def test_the_grid_rounds_as_python_rounds(value):
    assert grid_steps(value) == round(on_grid(value) * 1e12)


@pytest.mark.parametrize("bits", range(1, 45))
def test_halves_of_a_step_go_to_the_even_one(bits):
    for odd in (1, 3, 5, 2**bits - 1):
        for value in (odd / 2**bits, math.nextafter(odd / 2**bits, 0), math.nextafter(odd / 2**bits, 2)):
            assert grid_steps(value) == round(on_grid(value) * 1e12)


@given(st.lists(st.one_of(UNIT, st.sampled_from([1e-17, 1 / 3, 0.1, 2**-53, 1.0, 1e16, 2**-60])), max_size=30))
def test_sums_are_rounded_once(values):
    assert exact_sum(np.array(values), len(values), np.empty(len(values) + 1)) == math.fsum(values)


INNER = """
from rankcast.compiling import kernel

@kernel
def inner(x):
    return x + {added}
"""

OUTER = """
from inner_of_test import inner
from rankcast.compiling import kernel

@kernel
def outer(x):
    return 10 * inner(x)
"""


def test_a_kernel_is_compiled_again_when_one_that_it_calls_changes(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "outer_of_test.py").write_text(OUTER)

    def outer(added):
        """The outer kernel as a new process would have it."""
        (tmp_path / "inner_of_test.py").write_text(INNER.format(added=added))
        for name in ("inner_of_test", "outer_of_test"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        compiling._content.cache_clear()
        return importlib.import_module("outer_of_test").outer

    first, again, changed = outer(1), outer(1), outer(22)
    assert (first(5), again(5), changed(5)) == (60, 60, 270)
    assert sum(again.stats.cache_hits.values()) == 1
    assert sum(changed.stats.cache_hits.values()) == 0
