import pytest

from rankcast.pipeline.spark.keys import shard_keys


@pytest.mark.parametrize("shards", [1, 2, 3, 8, 16])
def test_each_shard_gets_a_partition_of_its_own(spark, shards):
    from pyspark.sql import functions as f

    keys = spark.createDataFrame([(key,) for key in shard_keys(shards)], "key int")
    rows = keys.select("key", f.pmod(f.hash("key"), f.lit(shards)).alias("partition")).collect()
    assert sorted(row.partition for row in rows) == list(range(shards))
