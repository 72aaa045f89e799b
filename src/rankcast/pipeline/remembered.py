"""What this process has computed from a log or a catalog, remembered for the next replay."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Remembered(Generic[_Key, _Value]):
    """Values by key, made on demand. The least recently used ones are forgotten.

    Suits what does not change, such as all that follows from a part of the log and a version of the catalog.

    Parameters
    ----------
    most
        The largest sum of the sizes that is held.
    size
        The size of a value; by default 1.

    >>> squares = Remembered[int, int](2)
    >>> [squares.get(number, lambda: number**2) for number in (3, 4, 5)]
    [9, 16, 25]
    >>> squares.get(5, lambda: 0), squares.get(3, lambda: 0)  # 25 is remembered, 9 is not
    (25, 0)
    """

    def __init__(self, most: int, size: Callable[[_Value], int] = lambda value: 1) -> None:
        self._most = most
        self._size = size
        self._lock = Lock()
        self._known: OrderedDict[_Key, _Value] = OrderedDict()
        self._held = 0

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known.clear()
            self._held = 0

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        """The value of a key; `make` makes it if it is not known."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = make()
        with self._lock:
            if key not in self._known:
                self._known[key] = made
                self._held += self._size(made)
            while self._held > self._most:
                self._held -= self._size(self._known.popitem(last=False)[1])
        return made
