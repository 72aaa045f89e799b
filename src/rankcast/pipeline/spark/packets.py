"""What travels between the tasks that match and the shards: one packet per shard and batch of events.

A packet has the times of all events of the batch, in publication order; each event that concerns the shard once; and
the numbers of the subscriptions that it matched there. The first packet of a shard is its part of the catalog.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from rankcast.matching.batch import Integers, Matches

PACKET = "shard int, at long, id string, packet binary"
"""The columns of packets. A shard takes its packets in order of the time and the id of their first event; its part of
the catalog, which has neither, is the first."""


class FailedMatch(NamedTuple):
    """An event that could not be matched for a user, or, without a user, could not be admitted to anybody.

    `place` is the index of the event in its batch.
    """

    place: int
    event: str
    user: str | None
    reason: str


class MatchedTable(NamedTuple):
    """Some events in order, as rows, with their ids and their matches by number of the subscription."""

    rows: pa.Table
    ids: pa.Array
    matches: Matches
    failures: Sequence[FailedMatch]

    @classmethod
    def joined(cls, parts: Sequence["MatchedTable"]) -> "MatchedTable":
        """One batch after the other."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *(part.rows.num_rows for part in parts)]).tolist()
        columns = (
            np.concatenate([part.matches.event + start for part, start in zip(parts, starts, strict=False)]),
            np.concatenate([part.matches.subscription for part in parts]),
            np.concatenate([part.matches.degree for part in parts]),
        )
        failures = [
            one._replace(place=one.place + start)
            for part, start in zip(parts, starts, strict=False)
            for one in part.failures
        ]
        return cls(
            pa.concat_tables([part.rows for part in parts]).combine_chunks(),
            pa.concat_arrays([part.ids for part in parts]),
            Matches(*columns),
            failures,
        )


class CatalogPart(msgspec.Struct, array_like=True):
    """A shard's part of the catalog: its records as lines of JSON, and the numbers of its subscriptions."""

    lines: bytes
    numbers: bytes


class Packet(msgspec.Struct, array_like=True):
    """One batch of events, as one shard needs it. Arrays are bytes; steps are differences of successive times."""

    start: int
    step_type: str
    steps: bytes
    rows: bytes
    places: bytes
    counts: bytes
    numbers: bytes
    degrees: bytes
    failures: list[FailedMatch]

    def times(self) -> Integers:
        """The times of all events, in microseconds since the epoch."""
        return np.cumsum(np.concatenate(([self.start], np.frombuffer(self.steps, self.step_type).astype(np.int64))))

    def concerned(self) -> tuple[Integers, pa.Table | None]:
        """The indexes of the events that concern the shard, and their rows."""
        places = np.frombuffer(self.places, np.uint32).astype(np.int64)
        return places, pa.ipc.open_stream(self.rows).read_all() if len(places) else None

    def matches(self) -> Matches:
        """The matches; `event` is an index among the events that concern the shard."""
        counts = np.frombuffer(self.counts, np.uint32)
        numbers = np.frombuffer(self.numbers, np.uint32).astype(np.int64)
        degrees = np.frombuffer(self.degrees, np.float64) if self.degrees else np.ones(len(numbers))
        return Matches(np.repeat(np.arange(len(counts)), counts), numbers, degrees)


def packets_of(
    found: MatchedTable, times: Integers, home: Integers, shards: Sequence[Sequence[FailedMatch]]
) -> Iterator[bytes]:
    """One packet per shard; `home` is the shard of each match, and `shards` has the failures that each shard reports."""
    steps = np.diff(times)
    step_type = np.min_scalar_type(int(steps.max(initial=0))).str
    shared = int(times[0]), step_type, steps.astype(step_type).tobytes()
    order = np.argsort(home.astype(np.uint16 if len(shards) < 1 << 16 else np.uint32), kind="stable")
    bounds = np.searchsorted(home[order], np.arange(len(shards) + 1))
    is_crisp = bool((found.matches.degree == 1.0).all())
    for number, failures in enumerate(shards):
        own = order[bounds[number] : bounds[number + 1]]
        places, counts = np.unique(found.matches.event[own], return_counts=True)
        yield msgspec.msgpack.encode(
            Packet(
                *shared,
                _stream(found.rows.take(pa.array(places))) if len(places) else b"",
                places.astype(np.uint32).tobytes(),
                counts.astype(np.uint32).tobytes(),
                found.matches.subscription[own].astype(np.uint32).tobytes(),
                b"" if is_crisp else found.matches.degree[own].tobytes(),
                list(failures),
            )
        )


def _stream(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue().to_pybytes())
