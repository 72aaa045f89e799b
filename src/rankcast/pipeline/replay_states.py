"""States of users at positions of the log, remembered by this process so that the next replay starts there."""

from bisect import bisect_right, insort
from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import msgspec

from rankcast.plain import State

_MOST_BYTES = 32 * 2**20


class ReplayState(NamedTuple):
    """The state of a user after the event at `offset`, which was served under `catalog_version`; None at the start."""

    offset: int
    catalog_version: int
    state: State | None


class ReplayStates:
    """States that replays passed through, by store and user. The least recently used ones are forgotten.

    What was served does not change: neither does the log up to a position, nor the catalog of a version. So a state
    stays valid. The states are held encoded, most in less than 1 kB; together they take at most 32 MiB.

    >>> states = ReplayStates()
    >>> states.put(("store", 0), "ann", ReplayState(500, 3, {"mode": {}}))
    >>> states.nearest(("store", 0), "ann", 400), states.nearest(("store", 0), "ann", 700).offset
    (None, 500)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[tuple[str, int], str, int], bytes] = OrderedDict()
        self._offsets: dict[tuple[tuple[str, int], str], list[int]] = {}
        self._size = 0

    def clear(self) -> None:
        """Forget all states."""
        with self._lock:
            self._kept.clear()
            self._offsets.clear()
            self._size = 0

    def put(self, store: tuple[str, int], user: str, state: ReplayState) -> None:
        """Remember a state; `store` is the place and the time of creation of the store."""
        content = msgspec.msgpack.encode((state.catalog_version, state.state))
        with self._lock:
            key = store, user, state.offset
            if key in self._kept:
                self._size -= len(self._kept[key])
            else:
                insort(self._offsets.setdefault((store, user), []), state.offset)
            self._kept[key] = content
            self._size += len(content)
            while self._size > _MOST_BYTES:
                (of_store, of_user, offset), gone = self._kept.popitem(last=False)
                self._size -= len(gone)
                offsets = self._offsets[of_store, of_user]
                offsets.remove(offset)
                if not offsets:
                    del self._offsets[of_store, of_user]

    def nearest(self, store: tuple[str, int], user: str, offset: int) -> ReplayState | None:
        """The last remembered state of a user up to an offset."""
        with self._lock:
            offsets = self._offsets.get((store, user), [])
            place = bisect_right(offsets, offset)
            if not place:
                return None
            found = offsets[place - 1]
            self._kept.move_to_end((store, user, found))
            content = self._kept[store, user, found]
        version, state = msgspec.msgpack.decode(content, strict=False)
        return ReplayState(found, version, state)
