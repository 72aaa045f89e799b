"""The saved state of modes and filters, which follows from the attributes that they name."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from rankcast.plain import State


class StateKeeper(Protocol):
    """What continues after a restart."""

    def state(self) -> State:
        """The state as plain data (numbers, strings, lists, dicts), for `restore`."""

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a fresh instance with the same settings."""


class DeclaredState:
    """Something that continues after a restart. `saved` gives its attributes by their names in the state.

    An attribute that has a state of its own is saved and restored by itself. Others are numbers, lists, dicts, deques
    or sets.

    >>> class Counted(DeclaredState):
    ...     saved = {"seen": "_seen"}
    ...     _seen = deque([3, 4])
    >>> fresh = Counted()
    >>> fresh.restore(Counted().state())
    >>> fresh.state()
    {'seen': [3, 4]}
    """

    saved: ClassVar[Mapping[str, str]] = {}

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        found: State = {}
        for name, attribute in self.saved.items():
            value = getattr(self, attribute)
            plain = _PLAIN.get(type(value))
            found[name] = value.state() if plain is None else plain(value)
        return found

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a fresh instance with the same settings."""
        for name, attribute in self.saved.items():
            known = getattr(self, attribute)
            if isinstance(known, (int, float)):
                setattr(self, attribute, state[name])
            elif type(known) in _PLAIN:
                setattr(self, attribute, type(known)(state[name]))
            else:
                known.restore(state[name])


_PLAIN: dict[type, Callable[[Any], object]] = {
    **dict.fromkeys((int, float), lambda number: number),
    **dict.fromkeys((list, deque), list),
    dict: dict,
    set: sorted,
}
"""How plain data is made of an attribute that has no state of its own."""
