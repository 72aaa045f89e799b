"""The fast engine: match → rank → choose over arrays, with the results of `rankcast.engine.reference.shard.Shard`."""

from rankcast.engine.arrays.deliveries import DeliveryColumns
from rankcast.engine.arrays.matching import BatchMatcher, Matches
from rankcast.engine.arrays.shard import BatchShard

__all__ = ["BatchMatcher", "BatchShard", "DeliveryColumns", "Matches"]
