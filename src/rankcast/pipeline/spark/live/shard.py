"""A shard that lives on between micro-batches, and what is saved of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.crowd_state import folded_of_columns
from rankcast.engine.arrays.folded import fold, unfold
from rankcast.engine.choice import MANY_SUBSCRIPTIONS, is_small
from rankcast.engine.reference.shard import Shard
from rankcast.engine.states import FORMAT, check_format, pack_states
from rankcast.errors import StoreError
from rankcast.language import dumps, encode_event
from rankcast.model import Catalog, Delivery, Event, SetAside
from rankcast.overlay import Admission, Finder
from rankcast.pipeline.spark.live.catalogs import Catalogs
from rankcast.pipeline.spark.live.frames import DELIVERY, deliveries_table
from rankcast.pipeline.spark.live.intake import Intake, IntakeResult
from rankcast.pipeline.spark.live.journal import Journal, JournalSegment, SavedJournal
from rankcast.pipeline.spark.live.pages import packed, page_of, pages_for, unpacked
from rankcast.plain import JsonObject

__all__ = ["LiveShard", "SavedShard", "ShardChanges"]

_FORM = 3
"""Raised with every change of what is saved. This release reads that and the one before; a page or a segment of the journal that
was written before an upgrade is there until it is written again, so each says itself how it was written."""
_FORM_BEFORE = 2

_SPANS = 2
"""Events are in the journal for so many times as long as a page lives; those that are held longer are in the pages."""


@dataclass
class SavedShard:
    """All that is needed to bring a shard to life again: the head, the pages, and the journal by generation."""

    head: bytes
    pages: dict[int, bytes] = field(default_factory=dict)
    journal: dict[int, bytes] = field(default_factory=dict)


class ShardChanges(NamedTuple):
    """What a micro-batch changes in what is saved."""

    head: bytes
    pages: dict[int, bytes]
    journal: dict[int, bytes]
    gone: list[int]
    """Generations of the journal that are not needed any more."""


class _Page(NamedTuple):
    """A page: in which generation, and under which version of the catalog, it was written; from which event on it counts on the
    journal; and its size."""

    generation: int
    version: int
    since: int = 0
    size: int = 0


class LiveShard:
    """Serves micro-batches, and says what to save after each.

    Every micro-batch is a *generation*. Its events go into a journal, and some pages of users' states are written: so
    many that each page is rewritten once in `journal` events. What was saved is restored by going through the journal from the
    oldest page on, each page's users joining where it was written; so a micro-batch costs in proportion to its events and
    not to the users, the journal is bounded, and coming to life costs as much as serving it.

    Parameters
    ----------
    serves
        Which users live here.
    journal
        After about how many events each page is rewritten.
    plain
        Serve by the reference engine alone.
    """

    def __init__(
        self,
        catalogs: Catalogs,
        serves: Callable[[str], bool],
        intake: Intake,
        journal: int = 100_000,
        plain: bool = False,
    ) -> None:
        self.intake = intake
        self.version: int | None = None
        self.generation = 0
        self._catalogs = catalogs
        self._serves = serves
        self._journal = journal
        self._plain = plain
        self._shard: Shard | BatchShard | None = None
        self._admission: tuple[int, Admission, Finder] | None = None
        self._pages: list[_Page] = []
        self._recorded = Journal(_SPANS * journal)
        self._is_unsaved = False
        """Whether there is state that no journal leads to."""
        self._by_page: list[list[str]] | None = None
        self._set_aside: list[SetAside] = []

    @property
    def matches(self) -> int:
        """How many matches were found since the shard came to life."""
        return self._shard.matches if self._shard else 0

    @property
    def due(self) -> int | None:
        """When the clock ends a period in which something waits, in microseconds; None if nothing waits for the clock."""
        due = self._shard.due if self._shard else None
        return None if due is None else microseconds(due)

    @property
    def size(self) -> int:
        """How many bytes are saved."""
        return sum(page.size for page in self._pages) + self._recorded.size

    @property
    def catalog(self) -> Catalog:
        """The shard's part of the catalog as of the version in effect."""
        return self._catalogs.at(self.version or 0)

    def begin(self, version: int, states: Iterable[bytes] = ()) -> None:
        """Start afresh with a version of the catalog, or with states of shards as `Shard.state` makes them."""
        self._move(version)
        assert self._shard is not None
        for state in states:
            self._shard.restore(state)
            self._is_unsaved = True
        self._pages = [_Page(0, version)] * pages_for(len(self._shard.users))

    def serve(self, taken: IntakeResult, close: bool = False) -> pa.Table:
        """The deliveries of what the intake has taken, and with `close` of the end of the stream (`frames.DELIVERY`)."""
        made = [] if taken.clock is None else [self._advance(taken.clock)]
        for of_version, events in taken.groups:
            made += [deliveries_table(self._move(of_version)), self._publish(events, taken.clocks)]
        if close:
            made.append(self._publish(self.intake.release_all(), {}))
            assert self._shard is not None
            made.append(deliveries_table(self._shard.close()))
            self._note_set_aside()
        return pa.concat_tables([table for table in made if table.num_rows] or [DELIVERY.empty_table()])

    def take_set_aside(self) -> list[SetAside]:
        """What could not be served since this was asked last."""
        taken, self._set_aside = self._set_aside, []
        return taken

    def save(self, taken: IntakeResult, close: bool = False, note: object = None) -> ShardChanges:
        """What is to be saved after all of `taken` was served; `restore` gives the `note` back."""
        assert self._shard is not None
        assert self.version is not None
        self.generation += 1
        journal = self._recorded.record(self.generation, taken)
        events = sum(len(of_version) for _, of_version in taken.groups)
        # What the end of the stream releases is in no journal.
        since = self.intake.seq + 1 if close else self._recorded.first_kept(self.intake.seq)
        due = range(self._spread()) if close or self._is_unsaved else self._due(events)
        pages = {number: self._page(number, since) for number in due}
        self._is_unsaved = False
        oldest = min(page.generation for page in self._pages)
        gone = self._recorded.forget(oldest, min(page.since for page in self._pages))
        journal = {number: segment for number, segment in journal.items() if number not in gone}
        # A segment that begins with this generation was never saved.
        return ShardChanges(self._head(note), pages, journal, [number for number in gone if number != self.generation])

    def restore(self, saved: SavedShard) -> Any:
        """Come to life out of what was saved; the note that was given then."""
        head = msgspec.msgpack.decode(saved.head)
        form = head.get("form")
        if form not in (_FORM, _FORM_BEFORE):
            raise StoreError(
                f"the checkpoint was written by another version of Rankcast (its form is {form}, not {_FORM}); finish with that one "
                "(`rankcast state repartition`), or make the state anew with: rankcast state rebuild"
            )
        self._pages = [_Page(*page) for page in head["pages"]]
        self._recorded = Journal(
            _SPANS * self._journal, {number: JournalSegment(*of) for number, of in head["journal"]}
        )
        self.intake.restore(head["intake"])
        past = SavedJournal(saved.journal)
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
                    self._join(saved.pages[number], past)
        self._go_on(past, head["generation"])
        self._move(head["version"])
        self._set_aside = []  # it was reported then
        return head["note"]

    def states(self) -> dict[str, JsonObject]:
        """The state of each user."""
        assert self._shard is not None
        return self._shard.states(self._shard.users)

    def _move(self, version: int) -> list[Delivery]:
        """Go on with a version of the catalog."""
        if version == self.version:
            return []
        catalog = self._catalogs.at(version)
        self.version = version
        self._by_page = None
        if self._shard is None:
            is_batch = not self._plain and len(catalog.subscriptions) >= MANY_SUBSCRIPTIONS
            self._shard = _made(catalog, self._serves, is_batch)
            return []
        owed = self._shard.update(catalog)
        self._note_set_aside()
        return owed

    def _advance(self, clock: int) -> pa.Table:
        """Let the clock come to a time: what periods that it ends still owe."""
        shard = self._shard
        assert shard is not None
        if isinstance(shard, Shard):
            made = deliveries_table(shard.advance(instant(clock)))
        else:
            made = shard.advance_columns(instant(clock)).arrow()
        self._note_set_aside()
        return made

    def _publish(self, events: Sequence[Event], clock_of: Mapping[int, int]) -> pa.Table:
        if not events:
            return DELIVERY.empty_table()
        shard = self._shard
        assert shard is not None
        if isinstance(shard, Shard) and not is_small(len(events), len(self.catalog.subscriptions)) and not self._plain:
            found = shard.matches
            faster = _made(self.catalog, self._serves, is_batch=True)
            faster.restore(shard.state())
            faster.matches = found
            self._shard = shard = faster
        admitted = self._admitted(events)
        # Either all events of a group have one, or none: it is for the intake to say whether the clock counts.
        clocks = [instant(clock_of[event.seq]) for event in events] if clock_of else None
        if isinstance(shard, Shard):
            made = deliveries_table(shard.publish(events, admitted, clocks))
        else:
            made = shard.publish_columns(events, admitted, clocks).arrow()
        self._note_set_aside()
        return made

    def _note_set_aside(self) -> None:
        assert self._shard is not None
        self._set_aside += self._shard.take_set_aside(self.version or 0)

    def _admitted(self, events: Sequence[Event]) -> dict[str, set[str]]:
        """To whom publications under an advertisement go, chosen among the users of all shards."""
        admitted: dict[str, set[str]] = {}
        for event in events:
            if event.advertisement is not None:
                try:
                    admission, finder = self._chooser()
                    chosen = admission.admitted(event, finder.match(event))
                except (
                    Exception
                ) as error:  # of one event, or of one record of the whole catalog; every shard sees the same
                    why = f"its recipients cannot be chosen: {type(error).__name__}: {error}"
                    self._set_aside.append(SetAside(None, event.id, event.seq, self.version or 0, why))
                    chosen = []
                admitted[event.id] = {subscription.id for subscription, _ in chosen}
        return admitted

    def _chooser(self) -> tuple[Admission, Finder]:
        assert self.version is not None
        if self._admission is None or self._admission[0] != self.version:
            whole = self._catalogs.whole(self.version)
            self._admission = (self.version, Admission(whole), Finder(list(whole.subscriptions.values()), whole))
        return self._admission[1:]

    def _due(self, events: int) -> Iterable[int]:
        """The pages to write after so many events: those that were written longest ago."""
        before = len(self._pages)
        if self._spread() > before:
            return range(len(self._pages))
        count = min(before, max(1, -(-before * events // self._journal)))
        return sorted(range(before), key=lambda number: self._pages[number].generation)[:count]

    def _spread(self) -> int:
        """Give the users more pages if they have become many; how many there are."""
        assert self._shard is not None
        wanted = pages_for(len(self._shard.users))
        if wanted >= 4 * len(self._pages):
            self._pages += [_Page(0, 0)] * (wanted - len(self._pages))
            self._by_page = None
        return len(self._pages)

    def _page(self, number: int, since: int) -> bytes:
        """Write a page, which counts on the journal for the events from `since` on."""
        shard = self._shard
        assert shard is not None
        assert self.version is not None
        if self._by_page is None:
            self._by_page = [[] for _ in self._pages]
            for user in shard.users:
                self._by_page[page_of(user, len(self._pages))].append(user)
        events: dict[int, Event] = {}
        users = self._by_page[number]
        if isinstance(shard, Shard):
            states = {user: fold(state, events) for user, state in shard.states(users).items()}
            folded: JsonObject = {"states": states, "columns": None}
        else:
            folded = shard.folded(users, events, since)
        texts = [[seq, dumps(encode_event(event))] for seq, event in events.items() if seq < since]
        needed = min((seq for seq in events if seq >= since), default=self.intake.seq + 1)
        page = packed([FORMAT, texts, folded])
        self._pages[number] = _Page(self.generation, self.version, needed, len(page))
        return page

    def _join(self, page: bytes, past: SavedJournal) -> None:
        """Let the users of a page go on where it was written, which is where the shard is."""
        *number, texts, folded = unpacked(page)  # the form before has no number
        check_format(*number or [0])
        past.add(texts)
        shard = self._shard
        if isinstance(shard, BatchShard):
            shard.restore_folded(folded, past)
        elif shard is not None:
            states = folded["states"] | (folded_of_columns(folded["columns"]) if folded["columns"] else {})
            shard.restore(pack_states(unfold(states, past)))

    def _go_on(self, past: SavedJournal, up_to: int) -> None:
        """Serve the generations up to that one again; their deliveries were made then."""
        for generation in past.generations:
            if self.generation < generation.number <= up_to:
                if generation.clock is not None:
                    self._advance(generation.clock)
                for version, seqs in generation.groups:
                    self._move(version)
                    self._publish(
                        [past[seq] for seq in seqs], {seq: past.clocks[seq] for seq in seqs if seq in past.clocks}
                    )
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
            }
        )


def _made(catalog: Catalog, serves: Callable[[str], bool], is_batch: bool) -> Shard | BatchShard:
    return BatchShard(catalog, serves) if is_batch else Shard(catalog, serves)
