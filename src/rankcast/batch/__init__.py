"""The fast engine: match → rank → choose over arrays, with the results of `rankcast.shard.Shard`."""

from rankcast.batch.matching import BatchMatcher, Matches
from rankcast.batch.shard import BatchShard, shard_for

__all__ = ["BatchMatcher", "BatchShard", "Matches", "shard_for"]
