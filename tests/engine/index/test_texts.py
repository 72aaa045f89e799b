import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.texts import PackedStrings


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))), st.data())
def test_texts_are_a_sequence(strings, data):
    texts = PackedStrings.of(strings)
    assert list(texts) == strings == texts[:]
    assert [texts[place] for place in range(len(strings))] == strings
    first = data.draw(st.integers(0, len(strings)))
    last = data.draw(st.integers(first, len(strings)))
    assert list(texts.part(first, last)) == strings[first:last]


def test_a_place_outside_is_refused():
    assert PackedStrings.of(["a", "b"])[-1] == "b"
    with pytest.raises(IndexError):
        PackedStrings.of(["a"])[1]


def test_some_of_many():
    texts = PackedStrings.of(["a", "", "bé", "c"])
    assert texts.take(np.array([2, 0, 2, 1])).to_pylist() == ["bé", "a", "bé", ""]
    assert PackedStrings(texts.data, texts.ends.astype(np.int64)).take(np.array([3])).to_pylist() == ["c"]
    assert PackedStrings.of([]).take(np.zeros(0, np.int64)).to_pylist() == []
    assert texts.part(2, 4).take(np.array([1, 0])).to_pylist() == ["c", "bé"]
