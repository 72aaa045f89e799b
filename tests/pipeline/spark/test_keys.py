from collections import Counter

import pytest

from rankcast.pipeline.spark.keys import _murmur3, shard_keys


@pytest.mark.parametrize("shards", [1, 2, 3, 8, 16])
def test_each_shard_gets_a_partition_of_its_own(spark, shards):
    from pyspark.sql import functions as f

    keys = spark.createDataFrame([(key,) for key in shard_keys(shards)], "key int")
    rows = keys.select("key", f.pmod(f.hash("key"), f.lit(shards)).alias("partition")).collect()
    assert sorted(row.partition for row in rows) == list(range(shards))


@pytest.mark.parametrize("partitions", [1, 2, 4, 8])
def test_fewer_partitions_have_equally_many_shards(partitions):
    placed = Counter(_murmur3(key) % partitions for key in shard_keys(16))
    assert set(placed.values()) == {16 // partitions}
