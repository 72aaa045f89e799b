from datetime import UTC, datetime

from rankcast.engine.index import IndexMatcher
from rankcast.language import parse
from rankcast.model import Event, Interval, Subscription

START = datetime(2026, 1, 1, tzinfo=UTC)


def encoded(where, **attributes):
    index = IndexMatcher([Subscription("s", "u", parse(where))]).index
    return index.encoder.encode([Event("e", START, attributes)])


def test_what_nobody_asks_for_is_left_out():
    codes = encoded("a = 1", b=(1,), c=("x",))
    assert codes.start.tolist() == [0, 0]


def test_values_come_ascending_and_each_code_once():
    codes = encoded("p = 'b'", p=("z", "b", "y", "a"))
    assert codes.low.tolist() == [1, 2, 3]  # before b, b, and one code for both that follow
    assert codes.low.tolist() == codes.high.tolist()


def test_patterns_are_values_of_an_attribute_of_their_own():
    codes = encoded("p contains 'x' or p contains 'y' or p endswith 'x'", p=("xy",))
    assert codes.attribute.tolist() == [0, 1, 1]
    assert codes.low.tolist()[1:] == [0, 1]


def test_an_imprecise_value_is_a_range_of_codes():
    codes = encoded("a between 2 and 5", a=Interval(3, 9))
    assert (codes.low.tolist(), codes.high.tolist(), codes.is_soft.tolist()) == ([2], [4], [True])
    codes = encoded("a between 2 and 5", a=Interval(3, 3))
    assert codes.low[0] < codes.high[0]


def test_true_is_not_one():
    index = IndexMatcher([Subscription("s", "u", parse("a in (1, true)"))]).index
    codes = [index.encoder.encode([Event("e", START, {"a": (value,)})]).low.tolist() for value in (1, True, 1.0)]
    assert codes[0] == codes[2] != codes[1]
