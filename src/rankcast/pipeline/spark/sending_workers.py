"""The first step of `deliver` in Spark's Python workers: match events, and send to each shard what it needs of them."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from rankcast.pipeline.spark.matching_workers import ShippedIndex, TaskMatcher
from rankcast.pipeline.spark.packets import FailedMatch, MatchedTable, packets_of

_PACKED_EVENTS, _PACKED_MATCHES = 50_000, 2_000_000
"""A packet is sent when it has so many events or matches."""

_PACKETS = pa.schema([("shard", pa.int32()), ("at", pa.int64()), ("id", pa.string()), ("packet", pa.binary())])


def send_matches(
    batches: Iterator[pa.RecordBatch], index: ShippedIndex, keys: Sequence[int]
) -> Iterator[pa.RecordBatch]:
    """Match sorted events, and pack for each shard what it needs of them; `keys` are the keys of the shards."""
    matcher = index.matcher()
    parts: list[MatchedTable] = []
    events = matches = 0
    for batch in batches:
        for found in matcher.match_batch(batch, admits=True):
            parts.append(found)
            events, matches = events + found.rows.num_rows, matches + len(found.matches.event)
            if events >= _PACKED_EVENTS or matches >= _PACKED_MATCHES:
                yield from _sent(matcher, parts, keys)
                parts, events, matches = [], 0, 0
    yield from _sent(matcher, parts, keys)


def _sent(matcher: TaskMatcher, parts: Sequence[MatchedTable], keys: Sequence[int]) -> Iterator[pa.RecordBatch]:
    parts = [part for part in parts if part.rows.num_rows]
    if not parts:
        return
    found = MatchedTable.joined(parts)
    times = found.rows["time"].cast(pa.int64()).to_numpy()
    failures: list[list[FailedMatch]] = [[] for _ in keys]
    for one in found.failures:
        failures[0 if one.user is None else matcher.home_of(one.user)].append(one)
    homes = matcher.homes(found.matches.subscription)
    for key, packet in zip(keys, packets_of(found, times, homes, failures), strict=True):
        columns = ([key], [int(times[0])], [found.ids[0].as_py()], [packet])
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, field.type) for column, field in zip(columns, _PACKETS, strict=True)], schema=_PACKETS
        )
