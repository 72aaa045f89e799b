"""Publishes lines to a store or a Kafka topic.

In a store, acknowledged events are on disk, and unusable lines are stored as rejects.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import BufferedReader
from itertools import islice
from os import PathLike, fspath
from tempfile import NamedTemporaryFile
from typing import TypeAlias, cast

from rankcast.cli.inputs import count_lines
from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.output import Output
from rankcast.errors import CatalogError, EnvironmentProblem, ModelError, RankcastError
from rankcast.language import decode_event
from rankcast.language.compressed import is_compressed
from rankcast.language.event_files import EventFileKind, EventIds, event_file, kind_of_head
from rankcast.language.event_limits import EventLimits
from rankcast.language.files import MAX_LINE, MAX_RAW
from rankcast.language.json_text import read_object
from rankcast.language.plain_events import plain_event
from rankcast.model import Event, Reject
from rankcast.pipeline.topics import Topic
from rankcast.store import Store
from rankcast.wording import counted


def checked(line: bytes) -> bytes:
    """The line; raises RankcastError if it is so long that `numbered_lines` cut it."""
    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line


def read_event(line: bytes, now: datetime, limits: EventLimits, ids: EventIds) -> Event:
    """The event in a line to publish; an event without a time gets `now`, and one without an id an id from `ids`."""
    limits.check_size(checked(line))
    event = plain_event(line)
    if event is None:
        fields = read_object(line)
        event = decode_event(fields if "id" in fields else {"id": ids.of(line), **fields}, now)
    limits.check_time(event, now)
    return event


def reject_of(path: str | PathLike[str], number: int, line: bytes, error: Exception) -> Reject:
    """A line with the reason why it cannot be used. Only the beginning of a very long line is kept."""
    raw = line[: 4 * MAX_RAW].decode("utf-8", "replace")[:MAX_RAW]
    cut = f"… (cut; the line has {len(line):,} bytes)" if len(line) > 4 * MAX_RAW or len(raw) == MAX_RAW else ""
    return Reject(fspath(path), number, " ".join(str(error).split()), raw + cut)


_CHUNK = 1000
_STDIN = "-"
_HEAD = 4096
_MOST_COPIED = 8 * 1024**3

Line: TypeAlias = tuple[int, bytes]


def chunks(events: str) -> Iterator[list[Line]]:
    """The lines that are not blank, a thousand at a time; from stdin, those available now."""
    if events == _STDIN:
        yield from _of_stdin()
        return
    lines = event_file(events).lines()
    while chunk := list(islice(lines, _CHUNK)):
        yield chunk


@contextmanager
def whole_file(events: str, out: Output) -> Iterator[str]:
    """The file to read, after saying what is read from it.

    JSON Lines on stdin are read as they come. Anything else there (CSV, Parquet, compressed data) is a file with an
    end, so it is first copied to disk.
    """
    if events != _STDIN:
        if understood := event_file(events).understood():
            out.say(understood)
        yield events
        return
    head = _head_of_stdin()
    if not is_compressed(head) and kind_of_head(head)[0] is EventFileKind.LINES:
        yield events
        return
    with NamedTemporaryFile(prefix="rankcast-stdin-") as copy:
        while block := sys.stdin.buffer.read(1 << 20):
            if copy.tell() + len(block) > _MOST_COPIED:
                raise EnvironmentProblem(f"stdin has more than {_MOST_COPIED:,} bytes; write them to a file first")
            copy.write(block)
        copy.flush()
        if understood := event_file(copy.name).understood("stdin"):
            out.say(understood)
        yield copy.name


def _head_of_stdin() -> bytes:
    """What can be read first, without taking it away."""
    stdin = sys.stdin.buffer
    if isinstance(stdin, BufferedReader):
        return stdin.peek(_HEAD)
    place, head = stdin.tell(), stdin.read(_HEAD)
    stdin.seek(place)
    return head


def _of_stdin() -> Iterator[list[Line]]:
    """Chunks of stdin. Lines already written are returned before waiting for more."""
    stdin = cast(BufferedReader, sys.stdin.buffer)
    number = 0
    rest = b""
    going_on = True
    while going_on:
        more = stdin.read1(1 << 20)
        going_on = bool(more)
        *lines, rest = (rest + more).split(b"\n") if going_on else (rest, b"")
        rest = rest[: MAX_LINE + 1]
        numbered = [(position, line.rstrip(b"\r")) for position, line in enumerate(lines, number + 1)]
        number += len(lines)
        if found := [(position, line) for position, line in numbered if line.strip()]:
            yield found


def offset_but_for_time(store: Store, event: Event) -> int | None:
    """The offset of the same event, if it was published before and got another time by default."""
    old = store.event(event.id)
    same = old is not None and replace(event, time=old.event.time, seq=old.event.seq) == old.event
    return old.offset if old is not None and same else None


@dataclass
class FilePublisher:
    """Publishes the lines of `file`, and calls `acknowledge` with the id and offset of each event that is on disk."""

    store: Store
    file: str
    acknowledge: Callable[[str, int], None]
    limits: EventLimits = field(default_factory=EventLimits)
    rejects: list[Reject] = field(default_factory=list)
    published: int = 0
    known: int = 0
    _first: dict[str, int] = field(default_factory=dict)
    _ids: EventIds = field(default_factory=EventIds)
    _given: int = 0

    def publish(self, lines: Sequence[Line]) -> None:
        """Publish one chunk of lines, in order."""
        now = datetime.now(UTC)
        bad: list[Reject] = []
        events: list[Event] = []
        origin: dict[int, Line] = {}
        for number, line in lines:
            try:
                given = self._ids.given
                event = read_event(line, now, self.limits, self._ids)
                self._check_new(event.id, number)
                if event.advertisement is not None:
                    from rankcast.overlay import check_publication  # slow to import

                    check_publication(self.store.catalog(), event)
                events.append(event)
                origin[id(event)] = number, line
                self._given += self._ids.given - given
            except RankcastError as error:
                bad.append(reject_of(self.file, number, line, error))

        def refuse(event: Event, error: ModelError) -> None:
            if event.time == now and (offset := offset_but_for_time(self.store, event)):
                self._acknowledge(event.id, offset, known=True)
            else:
                bad.append(reject_of(self.file, *origin[id(event)], error))

        for done in self.store.publishing(events, _CHUNK, refuse):
            self._acknowledge(done.id, done.offset, done.duplicate)
        bad.sort(key=lambda reject: reject.line)
        self.store.reject(bad)
        self.rejects += bad

    def summary(self) -> str:
        """The result in words."""
        words = [f"published {counted(self.published, 'event')}"]
        words += [f"{self.known:,} already in the log"] if self.known else []
        words += [f"gave an id to {self._given:,}"] if self._given else []
        words += [f"rejected {counted(len(self.rejects), 'line')} (see: rankcast rejects)"] if self.rejects else []
        return "; ".join(words)

    def _check_new(self, name: str, number: int) -> None:
        """Raise CatalogError if the id occurred before in the file. For a stream, only the store checks this."""
        if self.file != _STDIN and self._first.setdefault(name, number) != number:
            raise CatalogError(f"duplicate event {name!r}, first on line {self._first[name]}")

    def _acknowledge(self, name: str, offset: int, known: bool) -> None:
        self.known += known
        self.published += not known
        self.acknowledge(name, offset)


def publish_to_topic(topic: Topic, file: str, out: Output, limits: EventLimits) -> None:
    """Publish the lines of a file or of stdin. Unusable lines are reported and skipped; the exit code is then 1."""
    rejects: list[Reject] = []
    sent = 0
    topic.found()
    ids = EventIds()
    with whole_file(file, out) as whole, out.progress("publishing", count_lines(whole)) as advance:
        for chunk in chunks(whole):
            for each in topic.publishing(_events(file, chunk, rejects, limits, ids)):
                sent += 1
                if out.json:
                    out.record(each._asdict())
            out.flush()
            advance(len(chunk))
    tell(out, rejects)
    out.say(f"published {counted(sent, 'event')} to {topic}")
    exit_if_any(len(rejects))


def _events(
    file: str, lines: Sequence[Line], rejects: list[Reject], limits: EventLimits, ids: EventIds
) -> Iterator[Event]:
    now = datetime.now(UTC)
    for number, line in lines:
        try:
            yield read_event(line, now, limits, ids)
        except RankcastError as error:
            rejects.append(reject_of(file, number, line, error))
