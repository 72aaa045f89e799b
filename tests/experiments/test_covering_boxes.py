"""The fast counts and depths of boxes are those of the general poset."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.cover import Poset
from rankcast.cover.boxes import Box

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.covering_boxes import ancestor_counts, depths_of

intervals = st.tuples(st.integers(0, 6), st.integers(0, 4)).map(lambda pair: (float(pair[0]), float(sum(pair))))


def boxes_of(attributes: str) -> st.SearchStrategy[Box]:
    if len(attributes) == 1:
        return intervals.map(lambda interval: {attributes: interval})
    return st.dictionaries(st.sampled_from(attributes), intervals, max_size=len(attributes))


def covers(one: Box, other: Box) -> bool:
    return all(name in other and low <= other[name][0] and other[name][1] <= high for name, (low, high) in one.items())


@pytest.mark.parametrize("attributes", ["x", "xy", "xyz"])
@settings(max_examples=50)
@given(data=st.data())
def test_as_the_general_poset(attributes: str, data: st.DataObject) -> None:
    boxes = data.draw(st.lists(boxes_of(attributes), min_size=1, max_size=12))
    poset: Poset[Box] = Poset(covers)
    for number, box in enumerate(boxes):
        poset.add(f"s{number}", box)
    assert ancestor_counts(boxes).tolist() == [len(poset.ancestors(key)) for key in poset]
    assert depths_of(boxes).tolist() == [poset.depth(key) for key in poset]
