"""Move the delivery state of a checkpoint back into the store."""

import os
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from rankcast.engine.states import refusing_damage
from rankcast.errors import StoreError
from rankcast.pipeline.saved_state import Position
from rankcast.pipeline.spark.failures import explain
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.live.catalogs import StoreCatalogs
from rankcast.pipeline.spark.live.homes import UserHomes
from rankcast.pipeline.spark.live.intake import Intake
from rankcast.pipeline.spark.live.shard import IF_DAMAGED, LiveShard, SavedShard
from rankcast.pipeline.state_changes import divided
from rankcast.plain import State
from rankcast.store import Store


def bring_back(spark: SparkSession, store: Store, checkpoint: str | os.PathLike[str], shards: int) -> int:
    """Put the delivery state of a stopped pipeline into the store. Returns the number of users.

    The state is divided among `shards`. The next pipeline, in-process or on Spark with a new checkpoint, continues
    with it. The checkpoint is not changed, but the store no longer refers to it.
    """
    known = store.pipeline()
    if known is None or not known.place:
        raise StoreError("this store is not served by a pipeline with a checkpoint; its delivery state is in the store")
    offset, version, _ = store.progress()
    states: dict[str, State] = {}
    homes = UserHomes(known.shards)
    for number, saved in _saved(spark, os.fspath(checkpoint), known.shards).items():
        lives_here = homes.of(number)
        live = LiveShard(StoreCatalogs(store, lives_here), Intake())
        with refusing_damage(IF_DAMAGED):
            note = live.restore(saved)
        if note != known.name:
            raise StoreError(
                f"the checkpoint {os.fspath(checkpoint)!r} is not that of the pipeline that serves this store"
            )
        if live.intake.seq != offset:
            raise StoreError(
                f"the checkpoint is at offset {live.intake.seq}, the deliveries are at {offset}: its last batch was interrupted; "
                "finish it first with: rankcast run --engine spark --once"
            )
        states |= live.states()
    store.replace_state(divided(states, shards, Position(offset, version, 0)), offset)
    return len(states)


def _saved(spark: SparkSession, checkpoint: str, shards: int) -> dict[int, SavedShard]:
    """The saved state of each shard."""
    numbers = {key: number for number, key in enumerate(shard_keys(shards))}
    try:
        heads = _rows(spark, checkpoint, "head").select("key.shard_key", "value.head").collect()
        saved = {numbers[row.shard_key]: SavedShard(bytes(row.head)) for row in heads}
        for row in _mapped(_rows(spark, checkpoint, "pages"), "number", "page"):
            saved[numbers[row.shard_key]].pages[row.number] = bytes(row.page)
        for row in _mapped(_rows(spark, checkpoint, "journal"), "generation", "entry"):
            saved[numbers[row.shard_key]].journal[row.generation] = bytes(row.entry)
    except Exception as error:
        explained = explain(error, checkpoint)
        if explained is None:
            raise StoreError(f"the checkpoint {checkpoint!r} cannot be read: {str(error).splitlines()[0]}") from error
        raise explained from error
    if len(saved) != shards:
        raise StoreError(
            f"the checkpoint {checkpoint!r} holds {len(saved)} shards, not {shards}; it is damaged, or another"
        )
    return saved


def _rows(spark: SparkSession, checkpoint: str, variable: str) -> DataFrame:
    return spark.read.format("statestore").option("stateVarName", variable).load(checkpoint)


def _mapped(rows: DataFrame, name: str, value: str) -> list[Any]:
    return rows.select("key.shard_key", f"user_map_key.{name}", f"user_map_value.{value}").collect()
