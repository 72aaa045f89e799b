import numpy as np

from rankcast.engine.index.statistics import Sample, costs

# Three literals: attribute 0 at code 1, attribute 0 from 1 to 3, attribute 1 at code 1 or 3.
ATTRIBUTE = np.array([0, 0, 1], np.int32)
START = np.array([0, 1, 2, 4], np.int64)
LOW = np.array([1, 1, 1, 3], np.int32)
HIGH = np.array([1, 3, 1, 3], np.int32)
SIZES = np.array([5, 5], np.int64)


def test_values_that_events_have_often_cost_more():
    often = Sample(np.array([0] * 90 + [1] * 10, np.int32), np.array([1] * 90 + [1] * 10, np.int32), 100)
    found = costs(ATTRIBUTE, START, LOW, HIGH, np.array([0, 1, 2], np.int32), SIZES, often)
    assert found[0] > 0.8
    assert found[1] > found[0]
    assert found[2] < 0.2


def test_without_events_the_values_that_are_asked_for_stand_in():
    used = np.array([0] * 50 + [1, 2], np.int32)
    found = costs(ATTRIBUTE, START, LOW, HIGH, used, SIZES, None)
    assert found[0] > 0.9
    assert 0 < found[2] < 1


def test_no_literals():
    none = np.zeros(0, np.int32)
    assert len(costs(none, np.zeros(1, np.int64), none, none, none, np.zeros(0, np.int64), None)) == 0
