"""The second step of `deliver` in Spark's Python workers: serve the users of a shard with the matches of their events."""

from collections.abc import Callable, Iterator
from itertools import chain, groupby
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa

from rankcast.choose.positions import instant
from rankcast.engine.choice import is_served_before_compiled, is_small
from rankcast.engine.moments import RelevantMoments
from rankcast.engine.published import NamedMatches, PublishedEvents
from rankcast.engine.reference.shard import Shard
from rankcast.language import decode_record
from rankcast.language.columns import arrow_table
from rankcast.matching.batch import Integers
from rankcast.model import Catalog, Delivery, Event, SetAside
from rankcast.overlay import NO_FUNCTIONS, CatalogFunctions, use_functions
from rankcast.pipeline.spark.blocks import Block, blocks_of
from rankcast.pipeline.spark.packets import CatalogPart

if TYPE_CHECKING:
    from rankcast.engine.arrays import BatchShard

ServeShard: TypeAlias = Callable[[Catalog, Iterator[Block]], Iterator[pa.Table]]
"""Serves a shard: its part of the catalog and its blocks in, tables out."""


def serve_shards(
    batches: Iterator[pa.RecordBatch], serve: ServeShard, functions: CatalogFunctions = NO_FUNCTIONS
) -> Iterator[pa.RecordBatch]:
    """Serve one shard after the other, with the functions of the driver. The packets come sorted by shard and time."""
    use_functions(functions)
    rows = chain.from_iterable(
        zip(batch["shard"].to_pylist(), (one.as_buffer() for one in batch["packet"]), strict=True) for batch in batches
    )
    for _, own in groupby(rows, key=lambda row: row[0]):
        packets = (packet for _, packet in own)
        part = msgspec.msgpack.decode(next(packets), type=CatalogPart)
        catalog = Catalog([decode_record(line) for line in part.lines.splitlines()])
        blocks = blocks_of(packets, np.frombuffer(part.numbers, np.uint32))
        for table in serve(catalog, blocks):
            yield from table.to_batches()


def deliver_in_shard(catalog: Catalog, blocks: Iterator[Block]) -> Iterator[pa.Table]:
    """The deliveries of one shard, block by block."""
    yield from _ServedShard(catalog, blocks).deliveries()


def set_aside_in_shard(catalog: Catalog, blocks: Iterator[Block]) -> Iterator[pa.Table]:
    """What one shard cannot serve."""
    served = _ServedShard(catalog, blocks)
    for _ in served.deliveries():
        yield served.set_aside()


class _ServedShard:
    """A shard that gets its matches from elsewhere, so it has no index and no other users' part of the catalog."""

    def __init__(self, catalog: Catalog, blocks: Iterator[Block]) -> None:
        first, second = next(blocks, None), next(blocks, None)
        self._blocks = chain((block for block in (first, second) if block is not None), blocks)
        self._moments = RelevantMoments(catalog.policies.values())
        self._notes: list[SetAside] = []
        self._names = list(catalog.subscriptions)
        is_short = first is None or (second is None and self._is_short(catalog, first))
        self._shard = Shard(catalog) if is_short else _batch_shard(catalog)

    def _is_short(self, catalog: Catalog, block: Block) -> bool:
        """Whether the reference engine serves the only block first."""
        if is_small(len(block.times), len(catalog.subscriptions)):
            return True
        return is_served_before_compiled(catalog, (self._names[at] for at in block.matches.subscription.tolist()))

    def deliveries(self) -> Iterator[pa.Table]:
        """The deliveries of each block, and those that are due at the end."""
        for block in self._blocks:
            yield self._deliver(block)
        yield arrow_table(self._shard.close(), Delivery)

    def set_aside(self) -> pa.Table:
        """What was set aside since the last call."""
        rows = [*self._notes, *self._shard.take_set_aside()]
        self._notes = []
        return arrow_table(rows, SetAside).drop_columns(["version"])

    def _deliver(self, block: Block) -> pa.Table:
        failures: dict[int, dict[str, str]] = {}
        concerned = np.union1d(block.places, np.array([one.place for one in block.failures], np.int64))
        places = self._moments.select(block.first + np.arange(len(block.times)), block.times, concerned)
        for one in block.failures:
            if one.user is None:
                self._notes.append(SetAside(None, one.event, block.first + one.place, 0, one.reason))
            else:
                failures.setdefault(int(np.searchsorted(places, one.place)), {})[one.user] = one.reason
        at = np.searchsorted(places, block.places)
        events = _published(block, places, at)
        matches = block.matches._replace(event=at[block.matches.event])
        if isinstance(self._shard, Shard):
            named = NamedMatches(*matches, names=self._names)
            return arrow_table(self._shard.deliver(events, named, failures=failures), Delivery)
        return self._shard.deliver(events, matches, failures=failures).arrow()


def _published(block: Block, places: Integers, at: Integers) -> PublishedEvents:
    """The events at some places of a block. Of those that do not concern the shard, it knows position and time only."""
    known = dict(zip(at.tolist(), block.events, strict=True))
    for one in block.failures:
        place, seq = int(np.searchsorted(places, one.place)), block.first + one.place
        known.setdefault(place, Event.kept(one.event, instant(int(block.times[one.place])), {}, None, None, None, seq))
    return PublishedEvents(block.first + places, block.times[places], known)


def _batch_shard(catalog: Catalog) -> "BatchShard":
    from rankcast.engine.arrays import BatchShard
    from rankcast.engine.arrays.matching import MatchesGiven

    return BatchShard(catalog, matcher=MatchesGiven())
