"""The fast engine: match → rank → choose over arrays, with the results of `rankcast.shard.Shard`."""

from rankcast.batch.deliveries import Deliveries
from rankcast.batch.matching import BatchMatcher, Matches
from rankcast.batch.shard import BatchShard, shard_for

__all__ = ["BatchMatcher", "BatchShard", "Deliveries", "Matches", "shard_for"]
