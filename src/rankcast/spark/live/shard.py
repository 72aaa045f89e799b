"""A shard that lives on between micro-batches, and what is saved of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from rankcast.batch import BatchShard
from rankcast.batch.folded import fold, unfold
from rankcast.language import decode_event, dumps, encode_event
from rankcast.model import Catalog, Delivery, Event
from rankcast.overlay import Admission, Finder
from rankcast.shard import Shard
from rankcast.spark.live.catalogs import Catalogs
from rankcast.spark.live.frames import DELIVERY, deliveries_table
from rankcast.spark.live.intake import Intake, Taken
from rankcast.spark.live.pages import decode_page, encode_page, packed, page_of, pages_for, unpacked

__all__ = ["LiveShard", "Saved", "Written"]

_MANY_EVENTS = 2_000
_MANY_SUBSCRIPTIONS = 2_000
_TEXTS = 50_000
"""Of how many events the texts are kept."""


@dataclass
class Saved:
    """All that is needed to bring a shard to life again: the head, the pages, and the journal by generation."""

    head: bytes
    pages: dict[int, bytes] = field(default_factory=dict)
    journal: dict[int, bytes] = field(default_factory=dict)


class Written(NamedTuple):
    """What a micro-batch changes in what is saved."""

    head: bytes
    pages: dict[int, bytes]
    journal: dict[int, bytes]
    gone: list[int]
    """Generations of the journal that are not needed any more."""


class LiveShard:
    """Serves micro-batches, and says what to save after each.

    Every micro-batch is a *generation*. Its events go into a journal, and some pages of users' states are written: so
    many that each page is rewritten once in `journal` events. What was saved is restored by going through the journal from the
    oldest page on; so a micro-batch costs in proportion to its events and not to the users, and the journal is bounded.

    Parameters
    ----------
    serves
        Which users live here.
    journal
        After about how many events each page is rewritten.
    """

    def __init__(
        self,
        catalogs: Catalogs,
        serves: Callable[[str], bool],
        intake: Intake,
        journal: int = 50_000,
    ) -> None:
        self.intake = intake
        self.version: int | None = None
        self.generation = 0
        self._catalogs = catalogs
        self._serves = serves
        self._journal = journal
        self._shard: Shard | BatchShard | None = None
        self._admission: tuple[int, Admission, Finder] | None = None
        self._pages: list[tuple[int, int]] = []
        """Of each page the generation and the version of the catalog when it was written."""
        self._page_bytes: list[int] = []
        self._journal_bytes: dict[int, int] = {}
        self._by_page: list[list[str]] | None = None
        self._texts: dict[int, str] = {}

    @property
    def matches(self) -> int:
        """How many matches were found since the shard came to life."""
        return self._shard.matches if self._shard else 0

    @property
    def size(self) -> int:
        """How many bytes are saved."""
        return sum(self._page_bytes) + sum(self._journal_bytes.values())

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
        self._pages = [(0, version)] * pages_for(len(self._shard.users))
        self._page_bytes = [0] * len(self._pages)

    def serve(self, taken: Taken, close: bool = False) -> pa.Table:
        """The deliveries of what the intake has taken, and with `close` of the end of the stream (`frames.DELIVERY`)."""
        made: list[pa.Table] = []
        for of_version, events in taken.groups:
            made += [deliveries_table(self._move(of_version)), self._publish(events)]
        if close:
            made.append(self._publish(self.intake.release_all()))
            assert self._shard is not None
            made.append(deliveries_table(self._shard.close()))
        return pa.concat_tables([table for table in made if table.num_rows] or [DELIVERY.empty_table()])

    def save(self, taken: Taken, close: bool = False, note: Any = None) -> Written:
        """What is to be saved after all of `taken` was served; `restore` gives the `note` back."""
        assert self._shard is not None
        assert self.version is not None
        self.generation += 1
        groups = [[of, [[event.seq, self._text(event)] for event in events]] for of, events in taken.groups]
        events = sum(len(of_version) for _, of_version in taken.groups)
        due = self._due(events) if not close else range(self._spread())
        pages = {number: self._page(number) for number in due}
        for number, page in pages.items():
            self._pages[number] = (self.generation, self.version)
            self._page_bytes[number] = len(page)
        self._forget_texts()
        oldest = min(generation for generation, _ in self._pages)
        journal = {} if oldest == self.generation else {self.generation: packed(groups)}
        self._journal_bytes |= {generation: len(entry) for generation, entry in journal.items()}
        gone = [generation for generation in self._journal_bytes if generation <= oldest]
        for generation in gone:
            del self._journal_bytes[generation]
        return Written(self._head(note), pages, journal, gone)

    def restore(self, saved: Saved) -> Any:
        """Come to life out of what was saved; the note that was given then."""
        head = msgspec.msgpack.decode(saved.head)
        self.generation, version = head["generation"], head["version"]
        self._pages = [(generation, of_version) for generation, of_version in head["pages"]]
        self._page_bytes = head["page_bytes"]
        self._journal_bytes = dict(head["journal_bytes"])
        self.intake.restore(head["intake"])
        entries = [(generation, unpacked(entry)) for generation, entry in sorted(saved.journal.items())]
        together: dict[tuple[int, int], set[int]] = {}
        for number, written in enumerate(self._pages):
            together.setdefault(written, set()).add(number)
        states: dict[str, dict[str, Any]] = {}
        events: dict[int, Event] = {}
        for (generation, of_version), numbers in sorted(together.items()):
            part = _Part(self, numbers)
            part.begin_with(of_version, [saved.pages[number] for number in sorted(numbers) if number in saved.pages])
            for later, groups in entries:
                if later > generation:
                    part.go_on(groups)
            states |= part.folded(events)
        self.version = None
        self._move(version)
        self._restore(states, events)
        return head["note"]

    def states(self) -> dict[str, dict[str, Any]]:
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
            self._shard = _made(catalog, self._serves, is_batch=len(catalog.subscriptions) >= _MANY_SUBSCRIPTIONS)
            return []
        return self._shard.update(catalog)

    def _publish(self, events: Sequence[Event]) -> pa.Table:
        if not events:
            return DELIVERY.empty_table()
        shard = self._shard
        assert shard is not None
        if isinstance(shard, Shard) and len(events) >= _MANY_EVENTS:
            found = shard.matches
            faster = _made(self.catalog, self._serves, is_batch=True)
            faster.restore(shard.state())
            faster.matches = found
            self._shard = shard = faster
        admitted = self._admitted(events)
        if isinstance(shard, Shard):
            return deliveries_table(shard.publish(events, admitted))
        return shard.publish_columns(events, admitted).arrow().cast(DELIVERY)

    def _admitted(self, events: Sequence[Event]) -> dict[str, set[str]]:
        """To whom publications under an advertisement go, chosen among the users of all shards."""
        admitted: dict[str, set[str]] = {}
        for event in events:
            if event.advertisement is not None:
                admission, finder = self._chooser()
                chosen = admission.admitted(event, finder.match(event))
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
        return sorted(range(before), key=lambda number: self._pages[number])[:count]

    def _spread(self) -> int:
        """Give the users more pages if they have become many; how many there are."""
        assert self._shard is not None
        wanted = pages_for(len(self._shard.users))
        if wanted >= 4 * len(self._pages):
            self._pages += [(0, 0)] * (wanted - len(self._pages))
            self._page_bytes += [0] * (wanted - len(self._page_bytes))
            self._by_page = None
        return len(self._pages)

    def _page(self, number: int) -> bytes:
        assert self._shard is not None
        if self._by_page is None:
            self._by_page = [[] for _ in self._pages]
            for user in self._shard.users:
                self._by_page[page_of(user, len(self._pages))].append(user)
        events: dict[int, Event] = {}
        states = self.folded(events, self._by_page[number])
        return encode_page(states, {seq: self._text(event) for seq, event in events.items()})

    def folded(self, events: dict[int, Event], users: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
        """The states of users, all by default, whose events are put into `events`."""
        shard = self._shard
        assert shard is not None
        wanted = shard.users if users is None else users
        if isinstance(shard, Shard):
            return {user: fold(state, events) for user, state in shard.states(wanted).items()}
        return shard.folded_states(wanted, events)

    def _restore(self, states: dict[str, dict[str, Any]], events: Mapping[int, Event]) -> None:
        shard = self._shard
        assert shard is not None
        if isinstance(shard, Shard):
            shard.restore(msgspec.msgpack.encode(unfold(states, events)))
        else:
            shard.restore_folded(states, events)

    def _text(self, event: Event) -> str:
        """The event as JSON; each is written once, for the journal and for all pages."""
        text = self._texts.get(event.seq)
        if text is None:
            text = self._texts[event.seq] = dumps(encode_event(event))
        return text

    def _forget_texts(self) -> None:
        """Keep the texts of the last events only; older ones are made again if a page needs them."""
        if len(self._texts) > 2 * _TEXTS:
            self._texts = dict(list(self._texts.items())[-_TEXTS:])

    def _head(self, note: Any) -> bytes:
        return msgspec.msgpack.encode(
            {
                "generation": self.generation,
                "version": self.version,
                "pages": self._pages,
                "page_bytes": self._page_bytes,
                "journal_bytes": list(self._journal_bytes.items()),
                "intake": self.intake.state(),
                "note": note,
            }
        )


class _Part(LiveShard):
    """The users of some pages, on their way from when their pages were written to the present."""

    def __init__(self, of: LiveShard, numbers: set[int]) -> None:
        pages = len(of._pages)
        super().__init__(
            of._catalogs, lambda user: of._serves(user) and page_of(user, pages) in numbers, Intake(), of._journal
        )

    def begin_with(self, version: int, pages: Iterable[bytes]) -> None:
        """Start with the pages as they were written under that version."""
        self._move(version)
        states: dict[str, dict[str, Any]] = {}
        texts: dict[int, str] = {}
        for page in pages:
            users, named = decode_page(page)
            states |= users
            texts |= named
        self._restore(states, {seq: decode_event(text).at(seq) for seq, text in texts.items()})

    def go_on(self, groups: Sequence[Any]) -> None:
        """Serve a generation of the journal again; its deliveries were made then."""
        for version, texts in groups:
            self._move(version)
            self._publish([decode_event(text).at(seq) for seq, text in texts])


def _made(catalog: Catalog, serves: Callable[[str], bool], is_batch: bool) -> Shard | BatchShard:
    return BatchShard(catalog, serves) if is_batch else Shard(catalog, serves)
