"""The journal of a shard: the events that it served, as long as saved pages refer to them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankcast.engine.pages import packed, unpacked
from rankcast.errors import StoreError
from rankcast.language import decode_event
from rankcast.model import Event
from rankcast.pipeline.spark.live.intake import IntakeResult
from rankcast.pipeline.spark.live.matched import MatchedEvents, decode_range, encode_range, of_versions, range_of

_FORM = 4
"""Version of the content of a segment, increased with every change.

Version 1 had no clock. Version 2 had no matches: events of a log were saved without them.
"""

_WITH_MATCHES = 3
_WITH_CLOCK = 2

_ENOUGH = 500
"""Number of events after which a segment is complete."""


class JournalSegment(NamedTuple):
    """A segment of the journal: its last generation, its first and last event, and its size in bytes.

    The last event is 0 if the segment has no events.
    """

    generation: int
    first: int
    last: int
    size: int


class Journal:
    """The events of a shard as JSON, each stored once, in segments of one or more generations.

    A segment is named by the number of its first generation. Small generations share a segment, which is written
    again with each of them, so that there are never many segments.

    Pages refer to events by `seq`, and each page says from which event on it needs the journal. Events served more
    than `span` events ago are stored in the pages that hold them, so the journal is bounded, whatever the size of the
    windows.
    """

    def __init__(self, span: int, kept: Mapping[int, JournalSegment] | None = None) -> None:
        self._span = span
        self.kept = dict(kept or {})
        self._open: list[list[Any]] = []
        """The content of the last segment while it is incomplete: its generations, each with its groups."""
        self._events = 0
        """The number of events in that segment."""

    @property
    def size(self) -> int:
        """The size in bytes."""
        return sum(segment.size for segment in self.kept.values())

    def record(self, generation: int, taken: IntakeResult, served: Sequence[MatchedEvents]) -> dict[int, bytes]:
        """Store a generation: the versions it moved to, the clock, and the events. Returns the segment to save.

        `served` are the events that the shard needed.
        """
        moved = [[version, []] for version, _ in taken.groups]  # earlier releases saved events without matches here
        matched = [encode_range(range_of(events)) for events in served]
        if self._events >= _ENOUGH:
            self._open, self._events = [], 0
        self._open.append([generation, moved, taken.clock, matched])
        self._events += taken.events
        number = self._open[0][0]
        content = packed([_FORM, self._open])
        seqs = [int(seq) for events in served if len(events.seq) for seq in events.seq[[0, -1]]]
        before = self.kept.get(number)
        if before is not None and before.last:
            seqs += [before.first, before.last]
        self.kept[number] = JournalSegment(generation, min(seqs, default=0), max(seqs, default=0), len(content))
        return {number: content}

    def first_kept(self, now: int) -> int:
        """The first event that pages written now may leave to the journal."""
        firsts = [segment.first for segment in self.kept.values() if segment.last]
        return max(now - self._span, min(firsts, default=now + 1))

    def forget(self, oldest: int, needed: int) -> list[int]:
        """Drop the segments up to generation `oldest` that have no events from `needed` on. Returns their numbers."""
        gone = [number for number, one in self.kept.items() if one.generation <= oldest and one.last < needed]
        for number in gone:
            del self.kept[number]
            if self._open and self._open[0][0] == number:
                self._open, self._events = [], 0
        return gone


def _generations(segment: bytes) -> list[Any]:
    """The generations of a saved segment. The first form was a plain list of them, without a form number."""
    content: list[Any] = unpacked(segment)
    if not content or not isinstance(content[0], int):
        content = [0, content]
    form, generations = content
    if form > _FORM:
        raise StoreError(
            f"the checkpoint's journal has form {form}, newer than this Rankcast's {_FORM}; use the Rankcast that wrote it, or a later one"
        )
    if form < _WITH_CLOCK:
        return [
            [number, [[of, [[*row, None] for row in rows]] for of, rows in groups], None, []]
            for number, groups in generations
        ]
    return [[*one, []] if form < _WITH_MATCHES else one for one in generations]


class SavedGeneration(NamedTuple):
    """A micro-batch in the journal: its number, the time that the clock reached first, and its groups of events.

    `matched` are the events of a log with their matches.
    """

    number: int
    clock: int | None
    groups: list[tuple[int, list[int]]]
    matched: list[MatchedEvents]


class SavedJournal(Mapping[int, Event]):
    """The content of a saved journal: generations with their groups of `seq`, and events by `seq`, decoded on demand.

    `clocks` gives the clock at each event that has one.
    """

    def __init__(self, journal: Mapping[int, bytes]) -> None:
        self._texts: dict[int, str] = {}
        self._known: dict[int, Event] = {}
        self.clocks: dict[int, int] = {}
        self.generations: list[SavedGeneration] = []
        for _, segment in sorted(journal.items()):
            for number, groups, clock, ranges in _generations(segment):
                seqs = [(of, [row[0] for row in rows]) for of, rows in groups]
                matched = [events for blob in ranges for events in of_versions(decode_range(blob))]
                self.generations.append(SavedGeneration(number, clock, seqs, matched))
                for events in matched:
                    self._texts |= {int(events.seq[place]): text for place, text in events.texts.items()}
                for seq, text, at in (row for _, rows in groups for row in rows):
                    self._texts[seq] = text
                    if at is not None:
                        self.clocks[seq] = at

    def __getitem__(self, seq: int) -> Event:
        known = self._known.get(seq)
        if known is None:
            known = self._known[seq] = decode_event(self._texts[seq], seq=seq)
        return known

    def __iter__(self) -> Iterator[int]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
