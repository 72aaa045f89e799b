"""Order codes have the order of their cuts."""

import random

from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover.order_codes import OrderCodes


@given(st.lists(st.lists(st.tuples(st.one_of(st.integers(), st.floats(-9, 9)), st.sampled_from([0, 1])), max_size=40)))
def test_codes_are_ordered_as_cuts_are(batches):
    codes, known = OrderCodes(), set()
    for cuts in batches:
        before = {cut: codes[cut] for cut in known}
        changed = codes.learn(cuts)
        known |= set(cuts)
        assert changed or all(codes[cut] == code for cut, code in before.items())
        ordered = sorted(known)
        found = [codes[cut] for cut in ordered]
        assert found == sorted(set(found))
    assert len(codes) == len(known)


def test_a_place_with_no_room_left_makes_room():
    codes, top, changes = OrderCodes(), 1.0, 0
    codes.learn([(0.0, 0), (top, 0)])
    for _ in range(200):
        top /= 2
        changes += codes.learn([(top, 0)])
    assert 0 < changes < 10
    assert codes[0.0, 0] < codes[top, 0] < codes[1.0, 0]


def test_integers_that_floats_cannot_tell_apart():
    codes = OrderCodes()
    cuts = [(2**60 + number, 0) for number in range(100)]
    random.Random(1).shuffle(cuts)
    codes.learn(cuts)
    assert [codes[cut] for cut in sorted(cuts)] == sorted({codes[cut] for cut in cuts})
