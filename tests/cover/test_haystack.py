"""A haystack finds the words that contain a literal."""

from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover.haystack import Haystack


@given(st.lists(st.text("ab", max_size=4), max_size=8), st.text("ab", min_size=1, max_size=3))
def test_words_are_found_and_their_joins_are_not(words, literal):
    assert Haystack(words).containing(literal) == [i for i, word in enumerate(words) if literal in word]
