"""Where two lists differ."""

from hypothesis import given
from hypothesis import strategies as st

from rankcast.rank.differences import difference

few = st.lists(st.integers(0, 2), max_size=12)


@given(few, few, few, few)
def test_both_lists_are_the_same_outside_of_it_and_it_is_as_short_as_can_be(
    begin: list[int], before: list[int], now: list[int], end: list[int]
) -> None:
    a, b = begin + before + end, begin + now + end
    found = difference(a, b)
    assert a[: found.before.start] == b[: found.now.start]
    assert a[found.before.stop :] == b[found.now.stop :]
    middle = a[found.before], b[found.now]
    if all(middle):
        assert middle[0][0] != middle[1][0]
        assert middle[0][-1] != middle[1][-1]
    else:
        assert len(a) != len(b) or a == b
