"""All subscriptions of a store as an index file that the processes of a machine share, and the changes since.

``python -m rankcast.pipeline.spark.live.mapped`` writes the file. It is a process of its own because it needs the
catalog as objects, twenty times the memory of the file.
"""

import fcntl
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from rankcast.engine.arrays.roster import uses
from rankcast.engine.index import LiveIndex, Senses
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.files import read_index
from rankcast.errors import CatalogError, StoreError
from rankcast.language import decode_record
from rankcast.matching.batch import Integers, Matches
from rankcast.model import Advertisement, Catalog, Concept, Event, Norm, Policy, Preference, Subscription
from rankcast.pipeline.saved_catalog import mark_of, shared_file, write
from rankcast.plain import State
from rankcast.store import Change, Store

__all__ = ["MappedSubscriptions", "write"]

_MOST_CHANGED = 0.1
"""A new file is written when this share of the subscriptions has changed."""


class MappedSubscriptions:
    """All subscriptions of a store's catalog (`rankcast.pipeline.spark.live.whole.AllSubscriptions`).

    Parameters
    ----------
    store, url
        The store, and where it is.
    folder
        Where the file is: a folder of this machine that outlives the process. There is one file for a store.
    write
        Writes the file of a version, by default in a process of its own.

    The slot of a subscription is its place in the file; changed subscriptions follow. A version costs as much as the
    changes since the one before, or since the file for an earlier version. Versions before that of the file, changes
    that cannot be read and many changes need a new file, as long as it takes to read and compile the catalog.
    """

    def __init__(
        self, store: Store, url: str, folder: Path, write: "Callable[[str, Path, int], None] | None" = None
    ) -> None:
        self._store = store
        self._url = url
        self._path = shared_file(url, folder)
        self._write = write or _write_apart
        self._version: int | None = None
        self._base: CompiledIndex
        self._facts: State
        self._index: LiveIndex
        self._changed: list[Subscription] = []
        self._slots: dict[str, int] = {}
        """The slots of changed subscriptions."""
        self._shared = Catalog()

    def move(self, version: int) -> Iterable[int] | None:
        """Go on with a version, later or earlier."""
        known, self._version = self._version, None  # so that nothing half changed stays
        is_later = known is not None and known <= version and self._advance(known, version)
        if not is_later:
            self._open(version)
        self._version = version
        return () if is_later else None

    @property
    def shared(self) -> Catalog:
        """The concepts and advertisements, and the policies with a norm of their own."""
        return self._shared

    def everything(self) -> Catalog:
        """The whole catalog, which only advertisements and failures need."""
        return self._store.catalog(self._version)

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """The matches of the events by slot."""
        if not self._facts["is_matching"]:
            raise ValueError("a subscription cannot be matched")
        return self._index.match_numbers(events)

    def slot(self, name: str) -> int:
        """The slot of a subscription."""
        changed = self._slots.get(name)
        place = self._base.place_of(name) if changed is None else changed
        assert place is not None, f"{name!r} is in the catalog but not in the index"
        return place

    def subscription(self, slot: int) -> Subscription:
        """The subscription in a slot."""
        (name,) = self.names(np.array([slot]))
        return self.everything().subscriptions[name]

    def names(self, slots: Integers) -> list[str]:
        """The ids of the subscriptions in some slots, which are in order."""
        in_file = slots[slots < self._base.size]
        changed = self._changed_in(slots[len(in_file) :].tolist())
        return [*self._base.ids.take(in_file).to_pylist(), *(one.id for one in changed)]

    def users(self, slots: Integers) -> list[str]:
        """The users of the subscriptions in some slots, which are in order."""
        in_file = slots[slots < self._base.size]
        changed = self._changed_in(slots[len(in_file) :].tolist())
        return [*self._base.users.take(self._base.user[in_file]).to_pylist(), *(one.user for one in changed)]

    def _changed_in(self, slots: Iterable[int]) -> list[Subscription]:
        return [self._changed[slot - self._base.size] for slot in slots]

    def _open(self, version: int) -> None:
        """Map the file, or a new one, and apply the changes since it was written."""
        with open(self._path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one process of the machine writes the file
            if not (
                self._map() and self._facts["version"] <= version and self._advance(self._facts["version"], version)
            ):
                self._write(self._url, self._path, version)
                if not self._map() or self._facts["version"] != version:
                    raise StoreError(f"{self._path}: the index of version {version} of the catalog is missing")

    def _map(self) -> bool:
        """Map the file. Returns False if there is none of this store."""
        try:
            self._base, self._facts = read_index(self._path)
        except StoreError:
            return False
        if self._facts["mark"] != mark_of(self._store, self._facts["version"]):
            return False
        self._shared = Catalog([decode_record(line) for line in self._facts["records"]])
        self._changed, self._slots = [], {}
        senses = Senses.of_catalog(self._shared)
        self._index = LiveIndex.over(self._base, senses, lambda one: self._slots[one.id])
        return True

    def _advance(self, after: int, version: int) -> bool:
        """Apply changes. Returns False if that needs a new file; then something may be half changed."""
        if after == version:
            return True
        try:
            changes = list(self._store.changes(after, version))
            most = _MOST_CHANGED * self._base.size - len(self._changed)
            is_usable = self._facts["is_matching"] and not self._facts["is_incomplete"]
            return is_usable and len(changes) <= most and self._apply(changes)
        except (CatalogError, StoreError):  # changes were pruned, or name records that cannot be read
            return False

    def _apply(self, changes: Sequence[Change]) -> bool:
        last: dict[str, Subscription | None] = {}
        words: set[tuple[str, str, str | None]] = set()
        for change in changes:
            match record := change.record:
                case None:
                    return False
                case Subscription():
                    last[record.id] = None if change.removed else record
                case Policy():
                    self._shared.policies.pop(record.user, None)
                    if not change.removed and record.norm is not Norm.MIN:
                        self._shared.put(Policy(record.user, norm=record.norm))
                case Preference():
                    pass
                case Concept() | Advertisement():
                    (self._shared.remove if change.removed else self._shared.put)(record)
                    if isinstance(record, Concept):
                        words.add((record.attribute, record.name, record.user))
        if words:
            known = self._index.subscriptions() if self._facts["is_vague"] else self._changed_in(self._slots.values())
            last |= {one.id: one for one in known if one.id not in last and uses(one, words)}
        put = [one for one in last.values() if one is not None]
        gone = [name for name, one in last.items() if one is None and name in self._index]
        for name in gone:
            self._slots.pop(name, None)
        self._slots |= {one.id: slot for slot, one in enumerate(put, self._base.size + len(self._changed))}
        self._changed += put
        self._index.senses = Senses.of_catalog(self._shared)
        self._index.change(put, gone)
        return True


def _write_apart(url: str, path: Path, version: int) -> None:
    order = msgspec.json.encode([url, str(path), version])  # not as arguments, because a URL may have a password
    command = [sys.executable, "-m", "rankcast.pipeline.spark.live.mapped"]
    done = subprocess.run(command, input=order, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))


if __name__ == "__main__":
    given, place, number = msgspec.json.decode(sys.stdin.buffer.read())
    write(given, Path(place), number)
