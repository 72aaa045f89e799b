from hypothesis import given
from hypothesis import strategies as st

from rankcast.model import Preference
from rankcast.service.page.preferences.preference_drawing import grouped, moved, pairs_of, says_levels

NAMES = list("abcdef")
PLACES = st.lists(st.integers(0, 3), min_size=len(NAMES), max_size=len(NAMES))


def levels_of(places: list[int]) -> list[list[str]]:
    made = [[name for name, at in zip(NAMES, places, strict=True) if at == level] for level in range(4)]
    return [level for level in made if level]


@given(PLACES, st.sampled_from(NAMES), st.integers(-1, 4))
def test_the_pairs_of_levels_give_these_levels_again(places: list[int], name: str, to: int) -> None:
    after = moved(levels_of(places), name, to)
    pairs = pairs_of(after, "ann")
    assert [sorted(level) for level in grouped(NAMES, pairs)] == [sorted(level) for level in after]
    assert says_levels(NAMES, pairs)


def test_single_pairs_say_less_than_levels() -> None:
    assert not says_levels(["a", "b", "c"], [Preference("ann", "a", "b")])
    assert says_levels(["a", "b"], [Preference("ann", "a", "b")])
