"""Values get the same number iff they are equal (semantics: Events and subscriptions)."""

from rankcast.choose.codes import Codes
from rankcast.model import EPOCH, Event, Interval


def coded(codes, **attributes):
    begin, end = codes.encode(Event("e", EPOCH, attributes))
    return codes.arrays(begin, end)[3][begin:end].tolist()


def test_equal_values_have_one_number():
    codes = Codes()
    assert coded(codes, x=(1,)) == coded(codes, x=(1.0,)) != coded(codes, x=(True,))
    assert coded(codes, x=("a", "b")) == coded(codes, x=("b", "a")) != coded(codes, x=("a",))
    assert coded(codes, x=Interval(1, 2)) == coded(codes, x=Interval(1, 2)) != coded(codes, x=Interval(1, 3))


def test_weights_by_name_and_left_out():
    codes = Codes()
    coded(codes, x=(1,), y=(1,), z=(1,))
    assert codes.weights({"y": 3}, None).tolist() == [1.0, 3.0, 1.0]
    assert codes.weights({"y": 3}, ["y"]).tolist() == [-1.0, 3.0, -1.0]
    assert codes.longest == 3
