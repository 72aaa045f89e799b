"""Producer-side top-k on Spark: shards as edge brokers, and events routed by summaries.

Each shard's part of the catalog is condensed into a summary, and the summaries are sent to where the events are. An
event goes only to the shards that can hold one of its k best matches (or, without an advertisement, any match). Each
shard returns its own k best, and a last step merges them per publication (semantics: Producer-side top-k).
"""

from functools import partial

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from rankcast.errors import ModelError
from rankcast.model import Catalog
from rankcast.overlay import STRATEGIES
from rankcast.pipeline.spark.inputs import LivesIn, catalog_rows, prepared, shard_count, shared_lines
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.route_workers import best_in_shard, merge, send, summary_of_shard
from rankcast.pipeline.spark.workers import EVENTS, JSON, check_rows, pack

__all__ = ["recipients", "visits"]

_CHECKED = "id string, time timestamp, content string, raw string, reason string"
_BEST = "event string, subscription string, user string, degree double, k int, place array<double>, record string"
_RECIPIENT = "event string, subscription string, user string, degree double"


def recipients(
    events: DataFrame,
    catalog: Catalog,
    *,
    shards: int | None = None,
    strategy: str = "ancestor-cover",
    json: str | None = None,
    lives_in: LivesIn | None = None,
    broadcast: bool = False,
) -> DataFrame:
    """The recipients of each event: the same as `rankcast.overlay.admitted` of all its matches.

    Parameters
    ----------
    events, shards, json
        The same as for `deliver`.
    strategy
        The kind of summary that shards forward: ancestor-cover, rank-cover or regular.
    lives_in
        The shard of a user, 0 to shards - 1; by default a hash of the name. Events visit fewer shards if users with
        similar interests share a shard.
    broadcast
        Send every event to every shard, for comparison.

    Returns a DataFrame with columns event, subscription, user, degree. Its rows have no order. Rows that are not
    valid events, and publications outside their advertised space, are left out: see `rejects`.
    """
    routed = _Routed(events, catalog, shards, strategy, json, lives_in, broadcast)
    best = routed.rows().groupBy("shard").applyInArrow(best_in_shard, _BEST)
    ordered = best.repartition("event").sortWithinPartitions("event", "subscription")
    return ordered.mapInArrow(partial(merge, shared=routed.shared), _RECIPIENT)


def visits(
    events: DataFrame,
    catalog: Catalog,
    *,
    shards: int | None = None,
    strategy: str = "ancestor-cover",
    json: str | None = None,
    lives_in: LivesIn | None = None,
    broadcast: bool = False,
) -> DataFrame:
    """The shards that each event visits in `recipients`: columns event, shard (from 0)."""
    routed = _Routed(events, catalog, shards, strategy, json, lives_in, broadcast)
    number = f.element_at(f.create_map(*(f.lit(each) for pair in routed.numbers() for each in pair)), f.col("shard"))
    return routed.sent().select(f.explode("ids").alias("event"), number.alias("shard"))


class _Routed:
    """The steps up to the shards, as DataFrames."""

    def __init__(
        self,
        events: DataFrame,
        catalog: Catalog,
        shards: int | None,
        strategy: str,
        json: str | None,
        lives_in: LivesIn | None,
        broadcast: bool,
    ) -> None:
        if strategy not in STRATEGIES:
            raise ModelError(f"there is no strategy {strategy!r}; it may be {', '.join(STRATEGIES)}")
        for advertisement in catalog.advertisements.values():
            if not STRATEGIES[strategy].is_top_k or not STRATEGIES[strategy].is_exact(advertisement.rank):
                raise ModelError(
                    f"{strategy} does not find just the k best under advertisement {advertisement.id!r}; "
                    "ancestor-cover, rank-cover and regular do"
                )
        self._events = prepared(events, json)
        self._count = shard_count(shards)
        self._keys = shard_keys(self._count)
        self._strategy = strategy
        self._broadcast = broadcast
        self._catalog = catalog_rows(events.sparkSession, catalog, self._count, lives_in)
        self.shared = shared_lines(catalog)

    def numbers(self) -> list[tuple[int, int]]:
        """The key and the number of each shard."""
        return list(zip(self._keys, range(self._count), strict=True))

    def sent(self) -> DataFrame:
        """One row per shard and batch of events for it: shard (its key), ids, blob."""
        checked = self._events.mapInArrow(partial(check_rows, shared=self.shared), _CHECKED).where("reason is null")
        earliest = Window.partitionBy("id").orderBy("time", "content")
        once = checked.withColumn("nth", f.row_number().over(earliest)).where("nth = 1")
        packed = once.select(f.col("content").alias(JSON)).mapInArrow(pack, "blob binary")
        step = partial(send, shared=self.shared, keys=self._keys, broadcast=self._broadcast)
        return packed.crossJoin(f.broadcast(self._summaries())).mapInArrow(
            step, "shard int, ids array<string>, blob binary"
        )

    def rows(self) -> DataFrame:
        """The input of each shard: its part of the catalog, and the events that visit it."""
        events = self.sent().select("shard", f.lit(EVENTS).alias("kind"), "blob")
        return self._catalog.unionAll(events).repartition(self._count, "shard")

    def _summaries(self) -> DataFrame:
        """One row with the summaries of all shards, each computed where the shard is."""
        made = (
            self._catalog.repartition(self._count, "shard")
            .groupBy("shard")
            .applyInArrow(summary_of_shard(self._strategy), "shard int, summary binary")
        )
        return made.agg(f.collect_list(f.struct("shard", "summary")).alias("summaries"))
