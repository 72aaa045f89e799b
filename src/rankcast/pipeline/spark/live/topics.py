"""Taking and matching the events of other sources than a store's log, such as a topic: once for all shards."""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import pyarrow as pa

from rankcast.language.tables import events_of_json, events_of_table
from rankcast.model import Reject
from rankcast.pipeline.spark.blobs import EVENTS, MARK
from rankcast.pipeline.spark.live.frames import table_of
from rankcast.pipeline.spark.live.intake import IncomingRow, Intake
from rankcast.pipeline.spark.live.marks import decode_mark
from rankcast.pipeline.spark.live.matched import MatchedRange
from rankcast.pipeline.spark.live.matcher import EventMatcher
from rankcast.pipeline.spark.live.requests import Frame, HostSettings
from rankcast.pipeline.spark.workers import JSON, RECEIVED, WRITTEN


class TakenPart(msgspec.Struct, frozen=True, array_like=True):
    """What a shard gets of the events of a micro-batch that come from another source than the log.

    `rows` is the number of rows that arrived, `found` the events that are served now, with the matches of the shard, and
    `intake` the state of the intake after them, as JSON. The first shard reports the rejects.
    """

    version: int
    rows: int
    found: MatchedRange
    intake: bytes
    rejects: list[tuple[str, Reject]]
    late: int


decode_part = msgspec.msgpack.Decoder(TakenPart).decode


class TopicMatcher:
    """Takes the events of micro-batches in order, and matches them against one version of the catalog each."""

    def __init__(self, matcher: EventMatcher, settings: HostSettings) -> None:
        self._matcher = matcher
        self._settings = settings
        self._last: tuple[bytes, Intake] | None = None
        """The intake after the last micro-batch, with its state."""

    def parts(self, frames: Sequence[Frame], before: bytes) -> list[bytes]:
        """What each shard gets; `before` is the state of the intake, empty at the start."""
        settings, intake = self._settings, self._intake(before)
        marks = [decode_mark(frame.blob) for frame in frames if frame.kind == MARK]
        tables = [table_of(frame.blob) for frame in frames if frame.kind == EVENTS]
        version = max((mark.end for mark in marks), default=intake.version)
        self._matcher.whole.move(version)
        after = intake.seq
        taken = intake.take(_arrived(tables, settings.is_json), self._matcher.whole.shared, version)
        ((_, events),) = taken.groups
        # The intake decides whether the clock counts, so either all events have a clock or none.
        clocks = np.array([taken.clocks[event.seq] for event in events] if taken.clocks else [], np.int64)
        groups = [self._matcher.group(version, events, clocks)] if events else []
        ranges = self._matcher.divided(after, intake.seq, groups)
        rows, state = sum(map(len, tables)), msgspec.json.encode(intake.state())
        self._last = state, intake
        return [
            msgspec.msgpack.encode(TakenPart(version, rows, found, state, [] if number else taken.rejects, taken.late))
            for number, found in enumerate(ranges)
        ]

    def _intake(self, before: bytes) -> Intake:
        known, self._last = self._last, None  # so that nothing half changed stays
        if known is not None and known[0] == before:
            return known[1]
        settings = self._settings
        intake = Intake(settings.lateness, settings.max_ahead, by_clock=bool(settings.store))
        if before:
            intake.restore(msgspec.json.decode(before))
        return intake


def _arrived(tables: Sequence[pa.Table], is_json: bool) -> Iterator[IncomingRow]:
    """Decode the events in packed rows, or give the reason why they are not events."""
    for table in tables:
        received = (
            table[RECEIVED].cast(pa.int64()).to_pylist() if RECEIVED in table.column_names else [None] * len(table)
        )
        written = table[WRITTEN].cast(pa.int64()).to_pylist() if WRITTEN in table.column_names else [None] * len(table)
        rows = table.select([name for name in table.column_names if name not in (RECEIVED, WRITTEN)])
        outcomes = events_of_json(rows[JSON]) if is_json else events_of_table(rows)
        is_placed = is_json and rows.num_columns > 1
        files = rows["file"].to_pylist() if is_placed else ["events"] * len(table)
        lines = rows["line"].to_pylist() if is_placed else [0] * len(table)
        yield from map(IncomingRow, outcomes, files, lines, received, written)
