"""The state of a mode or filter follows from the attributes that it names."""

from collections import deque
from typing import ClassVar

from rankcast.choose.state import DeclaredState


class Part(DeclaredState):
    saved: ClassVar = {"count": "count"}

    def __init__(self) -> None:
        self.count = 0


class Whole(DeclaredState):
    saved: ClassVar = {"part": "_part", "last": "_last", "of": "_of", "sent": "_sent", "rank": "_rank"}

    def __init__(self) -> None:
        self._part, self._last, self._of, self._sent, self._rank = (
            Part(),
            deque[int](),
            dict[str, int](),
            set[int](),
            0.0,
        )

    def fill(self) -> "Whole":
        self._part.count, self._rank = 3, 0.5
        self._last.extend([5, 4])
        self._of["a"] = 1
        self._sent |= {9, 2}
        return self


def test_the_state_is_plain_data_under_the_given_names():
    assert Whole().fill().state() == {"part": {"count": 3}, "last": [5, 4], "of": {"a": 1}, "sent": [2, 9], "rank": 0.5}


def test_a_restored_one_has_the_same_state_and_the_same_types():
    fresh = Whole()
    fresh.restore(Whole().fill().state())
    assert fresh.state() == Whole().fill().state()
    assert (type(fresh._last), type(fresh._sent), type(fresh._rank)) == (deque, set, float)


def test_a_saved_state_does_not_change_with_what_it_is_of():
    one = Whole().fill()
    state = one.state()
    one.fill()
    one._of["b"] = 2
    assert state["last"] == [5, 4]
    assert state["of"] == {"a": 1}
