import shutil

import pytest

from rankcast.errors import StoreError
from rankcast.pipeline.spark import serve_store
from rankcast.pipeline.spark.checkpoints import is_begun, keep_line, kept_line, pipeline_name
from rankcast.pipeline.spark.failures import wait_for
from rankcast.store import Store


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(40))
        yield store


def refuse(made) -> None:
    raise ConnectionError("the sink is away")


def test_a_checkpoint_keeps_the_name_of_its_pipeline(spark, tmp_path):
    name = pipeline_name(spark, tmp_path / "one")
    assert pipeline_name(spark, tmp_path / "one") == name
    assert pipeline_name(spark, tmp_path / "two") != name
    assert not is_begun(spark, tmp_path / "one")


def test_a_line_that_was_cut_off_is_written_again(spark, tmp_path):
    assert kept_line(spark, tmp_path, "name") is None
    (tmp_path / "name" / "_temporary").mkdir(parents=True)
    assert kept_line(spark, tmp_path, "name") is None
    keep_line(spark, tmp_path, "name", "a line")
    assert kept_line(spark, tmp_path, "name") == "a line"
    (tmp_path / "name" / "part-more.txt").write_text("another\n")
    with pytest.raises(StoreError, match="is damaged"):
        kept_line(spark, tmp_path, "name")


def test_a_failure_in_the_first_batch_after_it_was_written(spark, tmp_path, world, store):
    place = str(tmp_path / "store.db"), tmp_path / "checkpoint"
    failing = serve_store(spark, *place, shards=2, trigger=None, close=True, sink=refuse)
    with pytest.raises(Exception, match="the sink is away"):
        wait_for(failing)
    assert store.pipeline().last_batch == 0
    wait_for(serve_store(spark, *place, shards=2, trigger=None, close=True))
    assert world.delivered(store) == world.expected(store)
    assert is_begun(spark, place[1])
    delivered = len(world.delivered(store))

    store.publish(world.events(10, first=40))
    for lost, reason in ((("offsets", "commits"), "is damaged"), (("state",), "has lost its offsets")):
        for name in lost:
            shutil.rmtree(place[1] / name)
        with pytest.raises(StoreError, match=reason):
            wait_for(serve_store(spark, *place, shards=2, trigger=None))
    assert len(world.delivered(store)) == delivered
