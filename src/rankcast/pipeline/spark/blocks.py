"""Blocks: the packets of a shard, decoded and joined into pieces that are worth serving together."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from rankcast.matching.batch import Integers, Matches
from rankcast.model import Event
from rankcast.pipeline.spark.packets import FailedMatch, Packet
from rankcast.pipeline.spark.workers import decoded

_MOMENTS, _EVENTS, _MATCHES = 1_000_000, 20_000, 2_000_000
"""A shard serves together so many moments, or events that concern it, or matches. This bounds its memory."""


class Block(NamedTuple):
    """Some events of the stream as one shard needs them, in publication order.

    `times` are those of all events, the first of which has the position `first`. `places` are the indexes of the events
    that concern the shard, which are `events`. A match has an index into `events` and the slot of a subscription.
    """

    first: int
    times: Integers
    places: Integers
    events: list[Event]
    matches: Matches
    failures: list[FailedMatch]


def blocks_of(packets: Iterator[bytes], numbers: Integers) -> Iterator[Block]:
    """The packets, joined into blocks that are worth serving. `numbers` are those of the shard's subscriptions."""
    first, waiting = 1, list[Block]()
    for packet in packets:
        block = _block(msgspec.msgpack.decode(packet, type=Packet), first, numbers)
        waiting.append(block)
        first += len(block.times)
        sizes = np.sum([(len(one.times), len(one.events), len(one.matches.event)) for one in waiting], axis=0)
        if (sizes >= (_MOMENTS, _EVENTS, _MATCHES)).any():
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _block(packet: Packet, first: int, numbers: Integers) -> Block:
    places, rows = packet.concerned()
    found = packet.matches()
    events = list[Event]()
    if rows is not None:
        for place, event in zip(places.tolist(), decoded(rows), strict=True):
            assert isinstance(event, Event), "the task that matched it has checked it"
            events.append(event.at(first + place))
    slots = np.searchsorted(numbers, found.subscription)
    return Block(first, packet.times(), places, events, found._replace(subscription=slots), packet.failures)


def _joined(blocks: Sequence[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0].first
    counts = np.cumsum([0, *(len(block.events) for block in blocks)]).tolist()
    event = [block.matches.event + start for block, start in zip(blocks, counts, strict=False)]
    return Block(
        first,
        np.concatenate([block.times for block in blocks]),
        np.concatenate([block.places + block.first - first for block in blocks]),
        [event for block in blocks for event in block.events],
        Matches(
            np.concatenate(event),
            np.concatenate([block.matches.subscription for block in blocks]),
            np.concatenate([block.matches.degree for block in blocks]),
        ),
        [one._replace(place=one.place + block.first - first) for block in blocks for one in block.failures],
    )
