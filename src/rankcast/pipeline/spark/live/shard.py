"""A shard that stays alive between micro-batches, and its saved state."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.matching import MatchesGiven
from rankcast.engine.choice import FEW_PAIRS, MANY_SUBSCRIPTIONS, is_small
from rankcast.engine.moments import RelevantMoments
from rankcast.engine.pages import PageEvents, UsersByPage, join_page, pages_for, write_page
from rankcast.engine.published import PublishedEvents
from rankcast.engine.reference.shard import Shard
from rankcast.errors import StoreError
from rankcast.matching.batch import Integers
from rankcast.model import Catalog, Delivery, SetAside
from rankcast.pipeline.spark.live.catalogs import Catalogs
from rankcast.pipeline.spark.live.frames import NO_DELIVERIES, deliveries_table
from rankcast.pipeline.spark.live.intake import Intake, IntakeResult
from rankcast.pipeline.spark.live.journal import Journal, JournalSegment, SavedJournal
from rankcast.pipeline.spark.live.matched import MatchedEvents
from rankcast.pipeline.spark.live.matcher import PastMatcher
from rankcast.plain import JsonObject, State

_FORM = 5
"""Version of the saved form, increased with every change. This release also reads `_FORMS_BEFORE`.

A page or a segment written before an upgrade stays until it is written again, so each one records its own form.
"""
_FORMS_BEFORE = (2, 3, 4)

IF_DAMAGED = "put a copy of the checkpoint in its place, or make the delivery state anew with: rankcast state rebuild"
"""What to do if the saved state cannot be read."""

_LEAST_PAGES = 0.25
"""Pages to write per micro-batch, at least. With few events, this keeps the journal short."""

_SPANS = 2
"""Events stay in the journal for this many lifetimes of a page. Events held longer are stored in the pages."""


@dataclass
class SavedShard:
    """Everything needed to restore a shard: the head, the pages, and the journal by generation."""

    head: bytes
    pages: dict[int, bytes] = field(default_factory=dict)
    journal: dict[int, bytes] = field(default_factory=dict)


class ShardChanges(NamedTuple):
    """The changes of the saved state after a micro-batch."""

    head: bytes
    pages: dict[int, bytes]
    journal: dict[int, bytes]
    gone: list[int]
    """Generations of the journal that are no longer needed."""


class _Page(NamedTuple):
    """A page: its generation, its catalog version, the first event that it needs from the journal, and its size."""

    generation: int
    version: int
    since: int = 0
    size: int = 0


class _Head(msgspec.Struct):
    """The first part of the saved state, without its form."""

    generation: int
    version: int
    pages: list[_Page]
    journal: list[tuple[int, JournalSegment]]
    intake: JsonObject
    note: object = None
    reached: tuple[int | None, int] | None = None


class EngineChoice:
    """Chooses arrays for the shards of a process once they have served so much that the kernels would have loaded."""

    def __init__(self) -> None:
        self._pairs = 0
        """Events so far, times the subscriptions of their shard, while the reference engine serves."""
        self._is_array = False

    def is_array(self, events: int, subscriptions: int) -> bool:
        """Whether arrays serve so many events from now on."""
        self._pairs += events * subscriptions
        self._is_array |= self._pairs >= FEW_PAIRS or not is_small(events, subscriptions)
        return self._is_array


class LiveShard:
    """Serves micro-batches, and says what to save after each.

    Every micro-batch is a *generation*. Its events go into a journal, and some pages of users' states are written:
    enough that each page is rewritten once per `journal` events. To restore a shard, the journal is replayed from the
    oldest page on, and the users of each page join where it was written. So a micro-batch costs in proportion to its
    events and not to the users, the journal is bounded, and restoring costs as much as serving the journal.

    Parameters
    ----------
    catalogs
        The records of the shard's users and those that concern everybody, version by version.
    journal
        The approximate number of events after which each page is rewritten.
    plain
        Serve by the reference engine alone.
    choice
        The choice of engine that it shares with other shards.

    Events come with their matches (`IntakeResult.matched`), so the shard needs no index.
    """

    def __init__(
        self,
        catalogs: Catalogs,
        intake: Intake,
        journal: int = 100_000,
        plain: bool = False,
        choice: EngineChoice | None = None,
    ) -> None:
        self.intake = intake
        self.version: int | None = None
        self.generation = 0
        self._catalogs = catalogs
        self._past = PastMatcher(catalogs)
        self._journal = journal
        self._plain = plain
        self._choice = choice or EngineChoice()
        self._shard: Shard | BatchShard | None = None
        self._known: Catalog | None = None
        """The part of the catalog that the shard has."""
        self._pages: list[_Page] = []
        self._recorded = Journal(_SPANS * journal)
        self._is_unsaved = False
        """Whether there is state that the journal cannot reproduce."""
        self._by_page: UsersByPage | None = None
        self._owed = 1.0
        """The pages to write after this micro-batch, and a fraction that is left for later."""
        self._set_aside: list[SetAside] = []
        self._moments = RelevantMoments([])
        self._served: list[MatchedEvents] = []
        """The events of the last micro-batch that came with matches, as they were served."""

    @property
    def matches(self) -> int:
        """The number of matches since the shard was started or restored."""
        return self._shard.matches if self._shard else 0

    @property
    def due(self) -> int | None:
        """When the clock ends the next period with pending candidates, in microseconds; None if there is none."""
        due = self._shard.due if self._shard else None
        return None if due is None else microseconds(due)

    @property
    def size(self) -> int:
        """The size of the saved state in bytes."""
        return sum(page.size for page in self._pages) + self._recorded.size

    @property
    def catalog(self) -> Catalog:
        """The shard's part of the catalog as of the current version."""
        return self._catalogs.at(self.version or 0)

    def begin(self, version: int, states: Iterable[Mapping[str, State]] = ()) -> None:
        """Start with a version of the catalog, and with states of users, if any."""
        self._move(version)
        assert self._shard is not None
        for part in states:
            self._shard.restore_states(part)
            self._is_unsaved = True
        if self._is_unsaved:
            self._moments.go_on(None, self._moments.clock)
        self._pages = [_Page(0, version)] * pages_for(len(self._shard.users))

    def serve(self, taken: IntakeResult, close: bool = False) -> pa.Table:
        """The deliveries of the events in `taken` and, with `close`, of the end of the stream (`frames.DELIVERY`)."""
        self._served = []
        made = [] if taken.clock is None else [self._advance(taken.clock)]
        made += [deliveries_table(self._move(version)) for version, _ in taken.groups]
        for matched in taken.matched:
            made.append(deliveries_table(self._move(matched.version)))
            relevant = matched.at(self._relevant(matched))
            made.append(self._deliver(relevant, relevant.published(taken.known), len(matched.seq)))
            self._served.append(relevant)
        if close:
            assert self._shard is not None
            made.append(deliveries_table(self._shard.close()))
            self._note_set_aside()
        return pa.concat_tables([table for table in made if table.num_rows] or [NO_DELIVERIES])

    def take_set_aside(self) -> list[SetAside]:
        """The events set aside since the last call."""
        taken, self._set_aside = self._set_aside, []
        return taken

    def save(self, taken: IntakeResult, close: bool = False, note: object = None) -> ShardChanges:
        """The changes to save after `taken` was served. `restore` returns the `note`."""
        assert self._shard is not None
        assert self.version is not None
        self.generation += 1
        journal = self._recorded.record(self.generation, taken, self._served)
        # Events released by the end of the stream are in no journal.
        since = self.intake.seq + 1 if close else self._recorded.first_kept(self.intake.seq)
        due = range(self._spread()) if close or self._is_unsaved else self._due(taken.events)
        pages = {number: self._page(number, since) for number in due}
        self._is_unsaved = False
        oldest = min(page.generation for page in self._pages)
        gone = self._recorded.forget(oldest, min(page.since for page in self._pages))
        journal = {number: segment for number, segment in journal.items() if number not in gone}
        # A segment that begins with this generation was never saved.
        return ShardChanges(self._head(note), pages, journal, [number for number in gone if number != self.generation])

    def restore(self, saved: SavedShard) -> Any:
        """Restore the saved state. Returns the note that was saved with it."""
        content: JsonObject = msgspec.msgpack.decode(saved.head)
        form = content.get("form")
        if form not in (_FORM, *_FORMS_BEFORE):
            raise StoreError(
                f"the checkpoint was written by another version of Rankcast (its form is {form}, not {_FORM}); finish with that one "
                "(`rankcast state repartition`), or make the state anew with: rankcast state rebuild"
            )
        head = msgspec.convert(content, _Head)
        self._pages = head.pages
        self._recorded = Journal(_SPANS * self._journal, dict(head.journal))
        self.intake.restore(head.intake)
        past = SavedJournal(saved.journal)
        events = PageEvents(past)
        together: dict[tuple[int, int], list[int]] = {}
        for number, page in enumerate(self._pages):
            together.setdefault((page.generation, page.version), []).append(number)
        for (generation, version), numbers in sorted(together.items()):
            if self.version is None:
                self.generation = generation
                self._move(version)
            self._go_on(past, generation)
            for number in numbers:
                if number in saved.pages:
                    assert self._shard is not None
                    join_page(self._shard, saved.pages[number], events)
        self._go_on(past, head.generation)
        self._move(head.version)
        self._moments.go_on(*(head.reached or (None, self._moments.clock)))
        self._set_aside = []  # these were reported before
        return head.note

    def states(self) -> dict[str, JsonObject]:
        """The state of each user."""
        assert self._shard is not None
        return self._shard.states(self._shard.users)

    def _move(self, version: int) -> list[Delivery]:
        """Continue with a version of the catalog."""
        if version == self.version:
            return []
        catalog, before = self._catalogs.at(version), self._known
        self.version, self._known = version, catalog
        if catalog is before:  # other shards' users changed
            return []
        self._moments.update(catalog.policies.values())
        if self._shard is None:
            is_batch = not self._plain and len(catalog.subscriptions) >= MANY_SUBSCRIPTIONS
            self._shard = self._made(catalog, is_batch)
            return []
        owed = self._shard.update(catalog)
        self._note_set_aside()
        return owed

    def _advance(self, clock: int) -> pa.Table:
        """Advance the clock to a time. Returns the deliveries of the periods that this ends."""
        shard = self._shard
        assert shard is not None
        self._moments.advance(clock)
        if isinstance(shard, Shard):
            made = deliveries_table(shard.advance(instant(clock)))
        else:
            made = shard.advance_columns(instant(clock)).arrow()
        self._note_set_aside()
        return made

    def _relevant(self, matched: MatchedEvents) -> Integers:
        """The indexes of the events that concern the shard, or at which something ends that concerns it."""
        concerned = np.fromiter(matched.texts, np.int64, len(matched.texts))
        return self._moments.select(matched.seq, matched.time, concerned, matched.clock)

    def _deliver(self, matched: MatchedEvents, events: PublishedEvents, count: int) -> pa.Table:
        """The deliveries of events that come with their matches, the relevant ones of so many."""
        shard = self._shard_for(count)
        if isinstance(shard, Shard):
            clocks = None if matched.clock is None else [instant(clock) for clock in matched.clock.tolist()]
            made = deliveries_table(shard.deliver(events, matched.matches, clocks, matched.failures))
        else:
            made = shard.deliver(events, matched.matches, matched.clock, matched.failures).arrow()
        self._note_set_aside()
        return made

    def _shard_for(self, events: int) -> Shard | BatchShard:
        """The shard, over arrays from now on if there are many events, or have been many."""
        shard = self._shard
        assert shard is not None
        is_plain = isinstance(shard, Shard) and not self._plain
        if is_plain and self._choice.is_array(events, len(self.catalog.subscriptions)):
            faster = self._made(self.catalog, is_batch=True)
            faster.restore(shard.state())
            faster.matches = shard.matches
            self._shard = shard = faster
        return shard

    def _note_set_aside(self) -> None:
        assert self._shard is not None
        self._set_aside += self._shard.take_set_aside(self.version or 0)

    def _due(self, events: int) -> Iterable[int]:
        """The pages to write after a number of events: those that were written longest ago."""
        before = len(self._pages)
        if self._spread() > before:
            return range(len(self._pages))
        self._owed += max(before * events / self._journal, _LEAST_PAGES)
        count = min(before, int(self._owed))
        self._owed -= count
        return sorted(range(before), key=lambda number: self._pages[number].generation)[:count]

    def _spread(self) -> int:
        """Add pages if there are many more users. Returns the number of pages."""
        assert self._shard is not None
        wanted = pages_for(len(self._shard.users))
        if wanted >= 4 * len(self._pages):
            self._pages += [_Page(0, 0)] * (wanted - len(self._pages))
        return len(self._pages)

    def _page(self, number: int, since: int) -> bytes:
        """Write a page, which leaves the events from `since` on to the journal."""
        shard = self._shard
        assert shard is not None
        assert self.version is not None
        if self._by_page is None or self._by_page.pages != len(self._pages):
            self._by_page = UsersByPage(len(self._pages))
        page = write_page(shard, self._by_page.users(number, shard), since)
        needed = self.intake.seq + 1 if page.needed is None else page.needed
        self._pages[number] = _Page(self.generation, self.version, needed, len(page.content))
        return page.content

    def _go_on(self, past: SavedJournal, up_to: int) -> None:
        """Replay the generations up to a given one. Their deliveries were made before."""
        for generation in past.generations:
            if self.generation < generation.number <= up_to:
                if generation.clock is not None:
                    self._advance(generation.clock)
                for version, seqs in generation.groups:
                    self._move(version)
                    if seqs:
                        clocks = [past.clocks[seq] for seq in seqs if seq in past.clocks]
                        matched = self._past.matched(version, [past[seq] for seq in seqs], clocks)
                        self._deliver(matched, matched.published(past), len(seqs))
                for matched in generation.matched:
                    self._move(matched.version)
                    self._deliver(matched, matched.published(past), len(matched.seq))
        self.generation = up_to

    def _head(self, note: object) -> bytes:
        return msgspec.msgpack.encode(
            {
                "form": _FORM,
                "generation": self.generation,
                "version": self.version,
                "pages": self._pages,
                "journal": list(self._recorded.kept.items()),
                "intake": self.intake.state(),
                "note": note,
                "reached": [self._moments.time, self._moments.clock],
            }
        )

    def _made(self, catalog: Catalog, is_batch: bool) -> Shard | BatchShard:
        if not is_batch:
            return Shard(catalog)
        return BatchShard(catalog, matcher=MatchesGiven(), is_live=True)
