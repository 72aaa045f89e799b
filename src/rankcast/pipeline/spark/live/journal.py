"""The journal of a shard: the events that it served, for as long as something saved refers to them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rankcast.errors import StoreError
from rankcast.language import decode_event, dumps, encode_event
from rankcast.model import Event
from rankcast.pipeline.spark.live.intake import IntakeResult
from rankcast.pipeline.spark.live.pages import packed, unpacked

__all__ = ["Journal", "JournalSegment", "SavedGeneration", "SavedJournal"]

_FORM = 2
"""Raised with every change of what a segment holds. Form 1 had no clock."""

_ENOUGH = 500
"""A segment of so many events is not added to."""


class JournalSegment(NamedTuple):
    """What the journal knows of a segment: its last generation, its first event, its last (0 for none), and its size in bytes."""

    generation: int
    first: int
    last: int
    size: int


class Journal:
    """Segments of one generation or more, by the number of their first. Every event is in it once, as JSON, whoever holds it.

    Small generations share a segment, which is written again with each, so that there are never many. Pages name events by
    `seq`; a page says from which event on it counts on the journal. An event that was served longer ago than `span` events is
    in the pages that hold it, so that the journal is bounded whatever the windows.
    """

    def __init__(self, span: int, kept: Mapping[int, JournalSegment] | None = None) -> None:
        self._span = span
        self.kept = dict(kept or {})
        self._open: list[list[Any]] = []
        """The content of the last segment, while it may be added to: its generations, each with its groups."""

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(segment.size for segment in self.kept.values())

    def record(self, generation: int, taken: IntakeResult) -> dict[int, bytes]:
        """Keep the events of a generation, each group under a version of the catalog, and the clock; the segment to be saved."""
        shown = [[version, [_shown(event, taken) for event in events]] for version, events in taken.groups]
        if sum(len(rows) for _, of, _ in self._open for _, rows in of) >= _ENOUGH:
            self._open = []
        self._open.append([generation, shown, taken.clock])
        seqs = [row[0] for _, of, _ in self._open for _, rows in of for row in rows]
        content = packed([_FORM, self._open])
        segment = JournalSegment(generation, min(seqs, default=0), max(seqs, default=0), len(content))
        number = self._open[0][0]
        self.kept[number] = segment
        return {number: content}

    def first_kept(self, now: int) -> int:
        """From which event on pages that are written now may count on the journal."""
        firsts = [segment.first for segment in self.kept.values() if segment.last]
        return max(now - self._span, min(firsts, default=now + 1))

    def forget(self, oldest: int, needed: int) -> list[int]:
        """Drop the segments up to the oldest page's generation that have no event from `needed` on; which."""
        gone = [number for number, one in self.kept.items() if one.generation <= oldest and one.last < needed]
        for number in gone:
            del self.kept[number]
            if self._open and self._open[0][0] == number:
                self._open = []
        return gone


def _shown(event: Event, taken: IntakeResult) -> list[object]:
    return [event.seq, taken.texts.get(event.seq) or dumps(encode_event(event)), taken.clocks.get(event.seq)]


def _generations(segment: bytes) -> list[Any]:
    """The generations of a saved segment; the first form was a list of them, without a number."""
    content: list[Any] = unpacked(segment)
    if not content or not isinstance(content[0], int):
        content = [0, content]
    form, generations = content
    if form > _FORM:
        raise StoreError(
            f"the checkpoint's journal has form {form}, newer than this Rankcast's {_FORM}; use the Rankcast that wrote it, or a later one"
        )
    if form < _FORM:  # without a clock
        return [
            [number, [[of, [[*row, None] for row in rows]] for of, rows in groups], None]
            for number, groups in generations
        ]
    return list(generations)


class SavedGeneration(NamedTuple):
    """A micro-batch as the journal has it: its number, to which time the clock came first, and its groups of events."""

    number: int
    clock: int | None
    groups: list[tuple[int, list[int]]]


class SavedJournal(Mapping[int, Event]):
    """What a saved journal holds: generations with their groups of `seq`, and events by `seq`, decoded when they are asked for;
    `clocks` is what the clock said at each event, for those that have it."""

    def __init__(self, journal: Mapping[int, bytes]) -> None:
        self._texts: dict[int, str] = {}
        self._known: dict[int, Event] = {}
        self.clocks: dict[int, int] = {}
        self.generations: list[SavedGeneration] = []
        for _, segment in sorted(journal.items()):
            for number, groups, clock in _generations(segment):
                seqs = [(of, [row[0] for row in rows]) for of, rows in groups]
                self.generations.append(SavedGeneration(number, clock, seqs))
                for seq, text, at in (row for _, rows in groups for row in rows):
                    self._texts[seq] = text
                    if at is not None:
                        self.clocks[seq] = at

    def add(self, texts: Iterable[tuple[int, str]]) -> None:
        """More events, which pages hold."""
        self._texts.update(texts)

    def __getitem__(self, seq: int) -> Event:
        known = self._known.get(seq)
        if known is None:
            known = self._known[seq] = decode_event(self._texts[seq], seq=seq)
        return known

    def __iter__(self) -> Iterator[int]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
