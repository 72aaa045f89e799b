from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.spaces import AttributeSpace, microseconds, split_number

numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(2**53 - 3, 2**53 + 3),
    st.integers(-3, 3),
)


def space_of(constants):
    pairs = sorted({split_number(number) for number in constants})
    left = np.array([remainder for _, remainder in pairs], np.int16)
    near = np.array([number for number, _ in pairs])
    return AttributeSpace(near, left if left.any() else left[:0], ["b", "d"], np.array([5], np.int64))


@given(st.lists(numbers, min_size=1, max_size=6), numbers)
def test_a_code_tells_the_place_among_the_constants(constants, value):
    ordered = sorted(set(constants))
    below = sum(constant < value for constant in ordered)
    assert space_of(constants).code(value) == 2 * below + (value in ordered)


@given(st.lists(numbers, min_size=1, max_size=6), st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_many_floats_get_the_codes_of_each(constants, values):
    space = space_of(constants)
    assert space.number_codes(np.array(values, np.float64)).tolist() == [space.code(value) for value in values]


def test_kinds_follow_each_other():
    space = space_of([1])
    assert space.bases == (0, 3, 8, 13, 16)
    assert [space.code(text) for text in ("a", "b", "c", "d", "e")] == [3, 4, 5, 6, 7]
    assert (space.code(False), space.code(True)) == (9, 11)
    assert space.code(datetime(1970, 1, 1, 0, 0, 0, 5, tzinfo=UTC)) == 14
    assert space.span(-np.inf, 1) == (0, 1)
    assert space.span(0.5, np.inf) == (0, 2)


def test_times_are_whole_microseconds():
    assert microseconds(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == 253402300799999999
    assert microseconds(datetime(1, 1, 1, tzinfo=UTC)) == -62135596800000000
