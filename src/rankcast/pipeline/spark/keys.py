"""Shard keys that Spark divides evenly among partitions."""

from functools import cache

_MASK = 0xFFFFFFFF


@cache
def shard_keys(shards: int) -> tuple[int, ...]:
    """One integer per shard, such that ``repartition(shards, key)`` gives each shard its own partition.

    Spark places a row by the Murmur3 hash of its key, modulo the number of partitions. Consecutive small numbers
    collide, and two shards in one partition run one after the other. With a divisor of `shards` as the number of
    partitions, each has equally many shards.

    >>> shard_keys(4)
    (12, 6, 2, 0)
    """
    found: dict[int, int] = {}
    candidate = 0
    while len(found) < shards:
        found.setdefault(_murmur3(candidate) % shards, candidate)
        candidate += 1
    return tuple(found[partition] for partition in range(shards))


def _murmur3(value: int, seed: int = 42) -> int:
    """Spark's hash of a 32-bit integer, as a signed number."""
    k = (value * 0xCC9E2D51) & _MASK
    k = (_rotate(k, 15) * 0x1B873593) & _MASK
    h = (_rotate(seed ^ k, 13) * 5 + 0xE6546B64) & _MASK
    h ^= 4
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & _MASK
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & _MASK
    h ^= h >> 16
    return h - (1 << 32) if h & 0x80000000 else h


def _rotate(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & _MASK
