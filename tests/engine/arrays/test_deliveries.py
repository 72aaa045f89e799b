"""Deliveries as columns are the deliveries."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.deliveries import DeliveryColumns
from rankcast.engine.arrays.delivery_lines import delivery_lines
from rankcast.engine.reference.shard import Shard
from rankcast.language import dumps, encode_delivery
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
    joined = DeliveryColumns.joined([columns, columns]).in_order()
    assert (len(joined), list(delivery_lines(joined))) == (0, [])


@pytest.mark.parametrize("chunk", [3, 50_000])
def test_joined_and_in_order_they_are_the_lines_of_the_objects(worlds, monkeypatch, chunk):
    """Also of a shard whose users change on the way, so that the parts have different names."""
    monkeypatch.setattr("rankcast.engine.arrays.delivery_lines._CHUNK", chunk)
    chance = random.Random(6)
    catalog, events = worlds.catalog(chance), worlds.events(chance, 90)
    events[40] = replace(events[40], id='"é\\ moon', time=events[40].time + timedelta(microseconds=250))
    shard = BatchShard(catalog)
    parts = [shard.publish_columns(events[:50])]
    more = Catalog([*catalog.records(), *worlds.subscriptions(chance, "another")])
    shard.update(more)
    parts += [shard.publish_columns(events[50:]), shard.close_columns()]
    expected = sorted((one for part in parts for one in part.records()), key=lambda one: one.order)
    columns = DeliveryColumns.joined(parts).in_order()
    assert columns.records() == expected
    assert "".join(delivery_lines(columns)) == "".join(dumps(encode_delivery(one)) + "\n" for one in expected)
