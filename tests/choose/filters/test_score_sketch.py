"""A few numbers that stand for many scores."""

from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters.score_sketch import kth_highest, sketch

scores = st.lists(st.floats(0, 100), max_size=200)


@given(st.lists(scores, min_size=1, max_size=5), st.integers(1, 300), st.integers(2, 20))
def test_the_kth_highest_of_all_nodes_is_off_by_less_than_a_group_for_each_node(nodes, k, points):
    merged = [point for own in nodes for point in sketch(own, len(own) // 3, points)]
    assert len(merged) <= (points + 1) * len(nodes)
    everything = sorted((score for own in nodes for score in own), reverse=True)
    found = kth_highest(merged, k)
    if k > len(everything):
        assert found == 0
        return
    above = sum(score > found for score in everything)
    assert sum(score >= found for score in everything) >= k
    assert above < k + len(everything) / points + len(nodes)


@given(scores.filter(bool), st.integers(1, 200))
def test_the_score_at_the_border_is_exact(own, border):
    border = min(border, len(own))
    assert kth_highest(sketch(own, border, 2), border) == sorted(own, reverse=True)[border - 1]
