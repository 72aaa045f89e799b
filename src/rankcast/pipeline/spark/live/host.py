"""The process that holds shards, or that matches: ``python -m rankcast.pipeline.spark.live.host SOCKET PID``.

It serves micro-batches one after the other on a socket in a private folder. It is killed when the process PID, which
belongs to the Spark executor that started it, ends.
"""

import gc
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from threading import Lock, Thread
from types import MappingProxyType
from typing import NamedTuple
from uuid import uuid4

import msgspec
import pyarrow as pa

from rankcast.choose.positions import microseconds
from rankcast.engine.states import refusing_damage
from rankcast.errors import RankcastError, StoreError
from rankcast.model import Event
from rankcast.pipeline.saved_catalog import SavedParts, shared_file
from rankcast.pipeline.saved_state import states_of
from rankcast.pipeline.spark.blobs import MARK, MATCHED, TAKEN
from rankcast.pipeline.spark.live.catalogs import MAPPED_FROM, Catalogs, FixedCatalog, OpenStores, StoreCatalogs
from rankcast.pipeline.spark.live.frames import stream_of
from rankcast.pipeline.spark.live.heartbeats import Heartbeats
from rankcast.pipeline.spark.live.homes import UserHomes
from rankcast.pipeline.spark.live.hosts import ask_matches, belong_to, private_folder
from rankcast.pipeline.spark.live.intake import Intake, IntakeResult
from rankcast.pipeline.spark.live.lifetimes import end_with
from rankcast.pipeline.spark.live.marks import Mark, decode_mark
from rankcast.pipeline.spark.live.matched import (
    HostRange,
    MatchedRange,
    apart,
    decode_host_range,
    decode_range,
    of_versions,
)
from rankcast.pipeline.spark.live.matchers import Matchers
from rankcast.pipeline.spark.live.reports import ShardReport, encode_report
from rankcast.pipeline.spark.live.requests import (
    HostAnswer,
    HostSettings,
    MatchAnswer,
    MatchRequest,
    Request,
    TakeAnswer,
    TakeRequest,
    decode_request,
    encode,
    failure_of,
)
from rankcast.pipeline.spark.live.shard import IF_DAMAGED, EngineChoice, LiveShard, SavedShard
from rankcast.pipeline.spark.live.topics import decode_part
from rankcast.plain import State
from rankcast.store import Store

_logger = logging.getLogger(__name__)

_TIDY = 2.0
_IDLE = 600.0


class _Alive:
    """A live shard, the token of its last saved state, and when it was last used."""

    def __init__(self, shard: LiveShard, place: str, pipeline: str = "") -> None:
        self.shard = shard
        self.place = place
        self.pipeline = pipeline
        self.token = ""
        self.used = time.monotonic()


class _Given(NamedTuple):
    """The ranges of a log that some shards get, by shard, and the events in them that were read once for all, by seq."""

    ranges: Mapping[int, Sequence[MatchedRange]] = MappingProxyType({})
    known: Mapping[int, Event] = MappingProxyType({})


def _ask_together(request: MatchRequest) -> HostRange:
    """What the shards of this process get of a range of the log, from the first local process that matches."""
    (together,) = ask_matches(request, 0)
    return decode_host_range(together)


class Host:
    """The shards of a process, by query and number.

    `ask` asks the process that matches what the shards of this one get of a range.
    """

    def __init__(self, ask: Callable[[MatchRequest], HostRange] = _ask_together) -> None:
        self._ask = ask
        self._alive: dict[tuple[str, int], _Alive] = {}
        self._stores = OpenStores()
        self._begun: tuple[str, list[dict[str, State]]] = ("", [])
        """The pipeline whose shards begin with the state of an in-process one, and that state."""
        self._parts: dict[str, SavedParts] = {}
        """The file of each store's catalog."""
        self._homes: dict[int, UserHomes] = {}
        """Which users live in which shard, by the number of shards."""
        self._asked: tuple[object, _Given] = (None, _Given())
        """The last range that this process asked for."""
        self._choice = EngineChoice()
        self._lock = Lock()
        self._plain: set[tuple[str, int]] = set()
        """The shards that the reference engine serves because the array engine failed."""

    def answer(self, request: Request) -> HostAnswer:
        """Serve a micro-batch. A failure is reported in the answer."""
        with self._lock:
            try:
                return self._served(request, self._given(request))
            except Exception as error:
                return HostAnswer(error=failure_of(error))

    def forget_idle(self, seconds: float) -> None:
        """Drop shards that were not used for so long, because their queries have stopped."""
        with self._lock:
            for key in [key for key, alive in self._alive.items() if time.monotonic() - alive.used > seconds]:
                del self._alive[key]
            if not self._alive:
                self._asked = None, _Given()

    def _given(self, request: Request) -> _Given:
        """What the shard gets of a log."""
        settings = request.settings
        ranges = [decode_range(frame.blob) for frame in request.frames if frame.kind == MATCHED]
        if not settings.asks_for_matches:
            return _Given({request.shard: ranges})
        of = (request.shard % request.processes, request.processes)
        asked = [
            MatchRequest(settings.run, settings.store, settings.shards, mark.start, mark.end, looks_ahead=True, of=of)
            for mark in (decode_mark(frame.blob) for frame in request.frames if frame.kind == MARK)
            if mark.end > mark.start
        ]
        if self._asked[0] != asked:
            self._asked = None, _Given()
            found = [apart(self._ask(one)) for one in asked]
            parts = {
                number: [by_shard[number] for by_shard, _ in found] for number in range(of[0], settings.shards, of[1])
            }
            known = {seq: event for _, events in found for seq, event in events.items()}
            self._asked = asked, _Given(parts, known)
        return self._asked[1]

    def _served(self, request: Request, given: _Given) -> HostAnswer:
        settings = request.settings
        key = (settings.run, request.shard)
        if request.token:
            self._begun = "", []
        # A failure below leaves no half-served shard behind.
        alive = self._alive.pop(key, None)
        if alive is None or not request.token or alive.token != request.token:
            if request.saved is None:
                return HostAnswer(needs_saved=True)
            self._forget_earlier(settings)
        try:
            alive = alive if request.saved is None and alive is not None else self._revived(request)
            answer = self._serve(request, alive, given)
        except RankcastError:
            raise
        except Exception as error:
            if key in self._plain:
                raise
            _logger.warning("shard %d: the array engine failed, the reference engine serves: %r", request.shard, error)
            self._plain.add(key)
            if request.saved is None:
                return HostAnswer(needs_saved=True)
            alive = self._revived(request)
            answer = self._serve(request, alive, given)
        alive.token, alive.used = answer.token, time.monotonic()
        self._alive[key] = alive
        return answer

    def _forget_earlier(self, settings: HostSettings) -> None:
        """Drop the shards of an earlier run with the same checkpoint."""
        for key, alive in list(self._alive.items()):
            if settings.place and alive.place == settings.place and key[0] != settings.run:
                del self._alive[key]

    def _revived(self, request: Request) -> _Alive:
        """Restore the saved shard, or create a new one if none was saved."""
        settings = request.settings
        home = self._homes.setdefault(settings.shards, UserHomes(settings.shards)).of(request.shard)
        catalogs: Catalogs
        if settings.store:
            catalogs = StoreCatalogs(self._stores[settings.store], home, partial(self._saved_parts, settings.store))
        else:
            catalogs = FixedCatalog.of_lines(request.catalog, home)
        intake = Intake(settings.lateness, settings.max_ahead, by_clock=bool(settings.store))
        plain = (settings.run, request.shard) in self._plain
        live = LiveShard(catalogs, intake, settings.journal, plain, self._choice)
        alive = _Alive(live, settings.place)
        assert request.saved is not None
        head, pages, journal = request.saved
        if head:
            # If the array engine fails, it may be its fault. If the reference engine does, too, it is not.
            with refusing_damage(IF_DAMAGED) if plain else nullcontext():
                alive.pipeline = alive.shard.restore(SavedShard(head, pages, journal))
        return alive

    def _serve(self, request: Request, alive: _Alive, given: _Given) -> HostAnswer:
        served, began = datetime.now(UTC), time.monotonic()
        shard, is_log = alive.shard, request.settings.is_log
        marks = [decode_mark(frame.blob) for frame in request.frames if frame.kind == MARK]
        alive.pipeline = _agreed(alive.pipeline, marks)
        clock = max((mark.clock for mark in marks if mark.clock is not None), default=None)
        if is_log:
            ranges = given.ranges.get(request.shard, [])
            if shard.version is None:
                versions = [version for one in ranges for version, _ in one.versions]
                self._begin(request, alive, marks, min(versions, default=None))
            else:
                _check_whole(shard.intake.seq, marks, sum(one.rows for one in ranges))
            after, close = shard.intake.seq, any(mark.close for mark in marks)
            # The sink takes the rejects of the first shard.
            text_of = None if request.shard else partial(_text_of, self._stores[request.settings.store])
            taken = shard.intake.take_log(ranges, text_of)._replace(clock=clock, known=given.known)
            deliveries = shard.serve(taken, close)
        else:
            part = next((decode_part(frame.blob) for frame in request.frames if frame.kind == TAKEN), None)
            version = max((mark.end for mark in marks), default=part.version if part else shard.version or 0)
            if shard.version is None:
                shard.begin(version)
            after, close = shard.intake.seq, False
            # While events arrive, which may have waited in the topic, their own times determine the clock.
            is_idle = not (part and part.rows) and request.settings.lateness is None
            taken = IntakeResult([(version, [])], [], 0, clock=clock if is_idle else None)
            deliveries = shard.serve(taken)
            shard.intake.version = version
            if part is not None:
                shard.intake.restore(msgspec.json.decode(part.intake))
                arrived = IntakeResult(
                    [],
                    part.rejects,
                    part.late,
                    set_aside=part.found.set_aside,
                    matched=list(of_versions(part.found)),
                    found=part.found.found,
                )
                deliveries = pa.concat_tables([deliveries, shard.serve(arrived)])
                taken = arrived._replace(groups=taken.groups, clock=taken.clock)
        matched = datetime.now(UTC)
        written = shard.save(taken, close, alive.pipeline)
        report = ShardReport(
            pipeline=alive.pipeline,
            shard=request.shard,
            start=min(mark.start for mark in marks) if is_log else None,
            end=max(mark.end for mark in marks) if is_log else None,
            version=shard.version or 0,
            events=taken.events,
            matches=taken.found,
            late=taken.late,
            rejects=[(key, reject.file, reject.line, reject.reason, reject.raw) for key, reject in taken.rejects],
            served=microseconds(served),
            matched=microseconds(matched),
            seconds=time.monotonic() - began,
            state_bytes=shard.size,
            after=after,
            up_to=shard.intake.seq,
            set_aside=[*taken.set_aside, *shard.take_set_aside()],
            due=shard.due if is_log or request.settings.lateness is None else None,
        )
        return HostAnswer(
            token=uuid4().hex,
            head=written.head,
            pages=written.pages,
            journal=written.journal,
            gone=written.gone,
            deliveries=stream_of(deliveries) if len(deliveries) else b"",
            report=encode_report(report),
        )

    def _begin(self, request: Request, alive: _Alive, marks: list[Mark], first: int | None) -> None:
        """Start a pipeline's first micro-batch, from the state that an in-process pipeline left, if any."""
        store = self._stores[request.settings.store]
        known = store.pipeline()
        if known is None or known.name != alive.pipeline:
            raise StoreError(f"the store is not served by the pipeline {alive.pipeline!r} any more")
        start = min(mark.start for mark in marks)
        if start != known.start_offset:
            raise StoreError(
                f"the checkpoint {known.place!r} has lost the state of shard {request.shard}: it goes on at offset {start} with "
                "none; use a copy of the checkpoint, or make the state anew with: rankcast state rebuild"
            )
        saved = store.saved_state() if known.start_version >= 0 else None
        if saved is not None and saved.pages:
            saved = saved._replace(offset=known.start_offset, catalog_version=known.start_version)
            if self._begun[0] != alive.pipeline:
                self._begun = alive.pipeline, [*states_of(store, saved)]
            alive.shard.begin(known.start_version, self._begun[1])
        else:
            alive.shard.begin(max(known.start_version if first is None else first, 0))
        alive.shard.intake.seq = start

    def _saved_parts(self, url: str, version: int) -> SavedParts | None:
        """The file of a catalog, if there is one of this version or an earlier one. The shards share it."""
        known = self._parts.get(url)
        if known is None or known.version > version:
            store = self._stores[url]
            if store.has_records(MAPPED_FROM):
                known = SavedParts.open(store, shared_file(url, private_folder()), version)
        if known is not None and known.version <= version:
            self._parts[url] = known
            return known
        return None


def _text_of(store: Store, seq: int) -> str:
    (row,) = store.log_rows(seq - 1, seq)
    return row.content


def _agreed(known: str, marks: Sequence[Mark]) -> str:
    """The pipeline that both the state and the rows belong to. Raises StoreError if they differ."""
    for mark in marks:
        if known and mark.pipeline != known:
            raise StoreError(f"the state is of the pipeline {known!r}, the events are of {mark.pipeline!r}")
        known = mark.pipeline
    return known


def _check_whole(seq: int, marks: Sequence[Mark], rows: int) -> None:
    """Refuse to continue if the log lacks events after a position, because the state would become wrong."""
    start, end = min(mark.start for mark in marks), max(mark.end for mark in marks)
    if seq == start and rows < end - start:  # otherwise the pipeline starts before the log, without state
        raise StoreError(
            f"the checkpoint goes on at offset {start}, but {end - start - rows} of the events up to {end} were pruned since: it is an "
            "older copy. Use the newest copy, or bring back both with: rankcast restore. If there is none, start a new pipeline with "
            "--from-offset, which serves what comes next with no state"
        )


def main(path: str, pid: int) -> None:
    """Serve on the socket until the owner process ends."""
    belong_to(pid)
    end_with(pid, [Path(path).with_suffix(suffix) for suffix in (".socket", ".lock", ".log")])
    gc.disable()  # see _talk
    _forgo_pandas()
    held, beats = (Host(), Matchers()), Heartbeats()
    Thread(target=_tidy, args=(held, path), daemon=True).start()
    with Listener(path, family="AF_UNIX", backlog=64) as listener:
        while True:
            try:
                connection = listener.accept()
            except OSError:
                continue
            Thread(target=_talk, args=(*held, beats, connection), daemon=True).start()


class _NoPandas:
    """Finds no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Raise ModuleNotFoundError for pandas, and leave all else to others."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def _forgo_pandas() -> None:
    """Let pyarrow find no pandas. Otherwise it imports it before it makes its first array: half a second and 40 MB."""
    sys.meta_path.insert(0, _NoPandas)
    pa.array([])
    sys.meta_path.remove(_NoPandas)


def _talk(host: Host, matchers: Matchers, beats: Heartbeats, connection: Connection) -> None:
    with connection:
        while True:
            try:
                request = decode_request(connection.recv_bytes())
                with beats.on(connection):
                    answer = encode(_answer(host, matchers, request))
                connection.send_bytes(answer)
                # Garbage collection would repeatedly scan everything in the shards while a worker waits. So it runs
                # between micro-batches, and scans only what the last one left.
                gc.collect(1)
                gc.freeze()
                if isinstance(request, MatchRequest) and request.looks_ahead:
                    matchers.look_ahead(request)
            except (EOFError, OSError):
                return


def _answer(
    host: Host, matchers: Matchers, request: Request | MatchRequest | TakeRequest
) -> HostAnswer | MatchAnswer | TakeAnswer:
    match request:
        case Request():
            return host.answer(request)
        case MatchRequest():
            return matchers.match(request)
        case TakeRequest():
            return matchers.take(request)


def _tidy(held: "tuple[Host, Matchers]", path: str) -> None:
    """Drop what is unused, and exit when no worker can reach this process."""
    while True:
        time.sleep(_TIDY)
        for one in held:
            one.forget_idle(_IDLE)
        if not os.path.exists(path):
            os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
