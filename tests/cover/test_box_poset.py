"""The fast poset answers as the general one does, also after adding and removing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.cover import Poset
from rankcast.cover.box_poset import BoxPoset
from rankcast.cover.boxes import Box
from rankcast.errors import ModelError
from rankcast.overlay.lots import lot

intervals = st.tuples(st.integers(0, 6), st.integers(0, 4)).map(lambda pair: (float(pair[0]), float(sum(pair))))


def boxes_of(attributes: str) -> st.SearchStrategy[Box]:
    if len(attributes) == 1:
        return intervals.map(lambda interval: {attributes: interval})
    return st.dictionaries(st.sampled_from(attributes), intervals, max_size=len(attributes))


def covers(one: Box, other: Box) -> bool:
    return all(name in other and low <= other[name][0] and other[name][1] <= high for name, (low, high) in one.items())


def assert_same(fast: BoxPoset, slow: "Poset[Box]") -> None:
    assert list(fast) == list(slow)
    assert fast.roots() == slow.roots()
    assert fast.depths() == {key: slow.depth(key) for key in slow}
    for key in slow:
        assert fast.ancestors(key) == slow.ancestors(key)
        assert fast.count(key) == len(slow.ancestors(key))
        assert fast.descendants(key) == slow.descendants(key)
        assert fast.equals(key) == slow.equals(key)
        assert fast.depth(key) == slow.depth(key)


@pytest.mark.parametrize("attributes", ["x", "xy", "xyz"])
@settings(max_examples=50)
@given(data=st.data())
def test_made_at_once(attributes: str, data: st.DataObject) -> None:
    given_boxes = data.draw(st.lists(boxes_of(attributes), max_size=12))
    boxes = {f"s{number}": box for number, box in enumerate(given_boxes)}
    slow: Poset[Box] = Poset(covers)
    for key, box in boxes.items():
        slow.add(key, box)
    assert_same(BoxPoset(boxes), slow)


@settings(max_examples=50)
@given(st.lists(st.tuples(boxes_of("xy"), st.booleans()), max_size=16))
def test_changed_step_by_step(steps: list[tuple[Box, bool]]) -> None:
    fast, slow = BoxPoset(), Poset(covers)
    for number, (box, removes) in enumerate(steps):
        if removes and len(slow):
            key = next(iter(slow))
            fast.remove(key)
            slow.remove(key)
        else:
            fast.add(f"s{number}", box)
            slow.add(f"s{number}", box)
    assert_same(fast, slow)


def test_many_are_removed_and_forgotten() -> None:
    boxes = {f"s{number}": {"x": (lot("low", str(number)), 1 + lot("high", str(number)))} for number in range(300)}
    poset = BoxPoset(boxes)
    for number in range(250):
        poset.remove(f"s{number}")
    left = BoxPoset({key: boxes[key] for key in poset})
    assert [poset.count(key) for key in poset] == [left.count(key) for key in left]
    assert poset.roots() == left.roots()


def test_keys_must_be_new_or_known() -> None:
    poset = BoxPoset({"s1": {"x": (0, 1)}})
    with pytest.raises(ModelError, match="already"):
        poset.add("s1", {})
    with pytest.raises(ModelError, match="'s2' is not"):
        poset.count("s2")
