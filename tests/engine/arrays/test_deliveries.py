"""Deliveries as columns are the deliveries."""

import random

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.model import Catalog


@pytest.mark.parametrize("seed", range(4))
def test_columns_are_the_deliveries_of_the_oracle(worlds, seed):
    chance = random.Random(seed)
    catalog, events = worlds.catalog(chance), worlds.events(chance, 120)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    for part in (events[:50], [], events[50:]):
        columns = fast.publish_columns(part)
        assert columns.records() == oracle.publish(part)
        assert len(columns) == len(columns.records())
    assert fast.close_columns().records() == oracle.close()


def test_as_arrow_they_have_the_names_and_values_of_the_objects(worlds):
    chance = random.Random(5)
    shard = BatchShard(worlds.catalog(chance))
    columns = shard.publish_columns(worlds.events(chance, 80))
    rows = columns.arrow().to_pylist()
    assert rows
    for row, delivery in zip(rows, columns.records(), strict=True):
        assert {**row, "subscriptions": tuple(row["subscriptions"])} == {name: getattr(delivery, name) for name in row}


def test_none_are_empty_columns():
    columns = BatchShard(Catalog()).publish_columns([])
    assert (len(columns), columns.records(), columns.arrow().num_rows) == (0, [], 0)
