"""Events by row: kept while somebody holds them, encoded anew when most are gone."""

import random

import numpy as np
import pytest

from rankcast.engine.arrays import table as table_module
from rankcast.engine.arrays.table import EventTable


def test_rows_never_change(worlds):
    events = worlds.events(random.Random(0), 10)
    table = EventTable()
    assert table.extend(events[:4]) == 0
    table.forget(3)
    assert table.extend(events[4:]) == 4
    assert [table[row] for row in (3, 4, 9)] == [events[3], events[4], events[9]]
    assert (len(table), table.next_row) == (7, 10)
    table.forget(2)
    assert len(table) == 7


def test_events_are_found_by_seq_and_added_if_missing(worlds):
    events = worlds.events(random.Random(0), 6)
    table = EventTable()
    table.extend(events[2:])
    assert table.rows_of([events[0], events[3], events[0]]).tolist() == [4, 1, 4]
    assert table[4] == events[0]


def test_values_of_the_past_take_no_room(worlds, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(table_module, "_FEW", 50)
    table = EventTable()
    largest = 0
    for round_number in range(40):
        rows = table.extend(worlds.events(random.Random(round_number), 10)) + np.arange(10)
        _, codes, *_ = table.encoded(rows, {}, None)
        largest = max(largest, len(codes[2]))
        table.forget(table.next_row)
    assert largest < 150
