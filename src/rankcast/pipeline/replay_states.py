"""States of users at positions of the log, remembered by this process so that the next replay starts there."""

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from rankcast.plain import State

__all__ = ["ReplayState", "ReplayStates"]

_MOST = 4_000


class ReplayState(NamedTuple):
    """The state of a user after the event at `offset`, which was served under `catalog_version`."""

    offset: int
    catalog_version: int
    state: State


class ReplayStates:
    """States that replays passed through, by store and user. The least recently used ones are forgotten.

    What was served does not change: neither does the log up to a position, nor the catalog of a version. So a state
    stays valid. At most 4,000 states are held.

    >>> states = ReplayStates()
    >>> states.put(("store", 0), "ann", ReplayState(500, 3, {"mode": {}}))
    >>> states.nearest(("store", 0), "ann", 400), states.nearest(("store", 0), "ann", 700).offset
    (None, 500)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[tuple[str, int], str, int], ReplayState] = OrderedDict()
        self._offsets: dict[tuple[tuple[str, int], str], set[int]] = {}

    def put(self, store: tuple[str, int], user: str, state: ReplayState) -> None:
        """Remember a state; `store` is the place and the time of creation of the store."""
        with self._lock:
            self._kept[store, user, state.offset] = state
            self._offsets.setdefault((store, user), set()).add(state.offset)
            while len(self._kept) > _MOST:
                (of_store, of_user, offset), _ = self._kept.popitem(last=False)
                offsets = self._offsets[of_store, of_user]
                offsets.discard(offset)
                if not offsets:
                    del self._offsets[of_store, of_user]

    def nearest(self, store: tuple[str, int], user: str, offset: int) -> ReplayState | None:
        """The last remembered state of a user up to an offset."""
        with self._lock:
            found = max((one for one in self._offsets.get((store, user), ()) if one <= offset), default=None)
            if found is None:
                return None
            self._kept.move_to_end((store, user, found))
            return self._kept[store, user, found]
