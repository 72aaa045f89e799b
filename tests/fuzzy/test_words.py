"""Names for concepts."""

import pytest

from rankcast.fuzzy.mining import names_for


@pytest.mark.parametrize(
    ("attribute", "names"),
    [
        ("price", ("cheap", "fair", "expensive")),
        ("closing price", ("cheap", "fair", "expensive")),
        ("size", ("small", "medium", "large")),
        ("distance", ("near", "middling", "far")),
        ("built", ("old", "recent", "new")),
        ("age", ("new", "recent", "old")),
        ("length", ("short", "medium", "long")),
        ("humidity", ("low", "medium", "high")),
    ],
)
def test_names_follow_the_attribute(attribute, names):
    assert names_for(attribute, 3) == names


@pytest.mark.parametrize("attribute", ["price", "size", "distance", "year", "age", "length", "x"])
def test_there_are_as_many_as_asked_for_all_different(attribute):
    for count in range(2, 10):
        assert len(set(names_for(attribute, count))) == count
