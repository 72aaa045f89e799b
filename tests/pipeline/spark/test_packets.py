"""A packet holds what one shard needs of a batch of events, and nothing of the others."""

import msgspec
import numpy as np
import pyarrow as pa

from rankcast.matching.batch import Matches
from rankcast.pipeline.spark.packets import FailedMatch, MatchedTable, Packet, packets_of


def events(first, count, matches, degrees=None):
    ids = pa.array([f"e{first + number}" for number in range(count)])
    pairs = np.array(matches, np.int64).reshape(-1, 2)
    degree = np.ones(len(pairs)) if degrees is None else np.array(degrees)
    return MatchedTable(pa.table({"id": ids}), ids, Matches(pairs[:, 0], pairs[:, 1], degree), [])


def packets(found, times, home, failures):
    made = packets_of(found, np.array(times), np.array(home, np.int64), failures)
    return [msgspec.msgpack.decode(packet, type=Packet) for packet in made]


def test_each_shard_gets_its_events_once_and_all_times():
    found = events(0, 4, [(0, 7), (0, 9), (2, 3), (2, 7), (3, 9)])
    failed = FailedMatch(1, "e1", "ann", "no")
    first, second, third = packets(found, [5, 5, 2**40, 2**40 + 1], [0, 1, 1, 0, 1], [[], [], [failed]])
    for packet in (first, second, third):
        assert packet.times().tolist() == [5, 5, 2**40, 2**40 + 1]
    places, rows = first.concerned()
    assert (places.tolist(), rows.to_pydict()) == ([0, 2], {"id": ["e0", "e2"]})
    assert [column.tolist() for column in first.matches()] == [[0, 1], [7, 7], [1.0, 1.0]]
    assert second.concerned()[0].tolist() == [0, 2, 3]
    assert [column.tolist() for column in second.matches()] == [[0, 1, 2], [9, 3, 9], [1.0, 1.0, 1.0]]
    assert third.concerned()[1] is None
    assert (len(third.matches().event), third.failures) == (0, [failed])


def test_degrees_travel_where_one_differs_from_1():
    (crisp,) = packets(events(0, 1, [(0, 1)]), [0], [0], [[]])
    (vague,) = packets(events(0, 1, [(0, 1), (0, 2)], [1.0, 0.25]), [0], [0, 0], [[]])
    assert crisp.degrees == b""
    assert vague.matches().degree.tolist() == [1.0, 0.25]


def test_batches_are_joined_in_order():
    failed = FailedMatch(0, "e2", "ann", "no")
    parts = [events(0, 2, [(1, 5)]), events(2, 1, [(0, 6)])._replace(failures=[failed])]
    joined = MatchedTable.joined(parts)
    assert joined.ids.to_pylist() == ["e0", "e1", "e2"]
    assert [column.tolist() for column in joined.matches] == [[1, 2], [5, 6], [1.0, 1.0]]
    assert joined.failures == [failed._replace(place=2)]
