"""Type aliases for plain data (as in JSON and msgpack) and for arrays, named by their purpose; and many objects at once."""

from collections import deque
from collections.abc import Iterable
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: a record, an event or an answer, before decoding or after encoding."""

State: TypeAlias = dict[str, Any]
"""Saved delivery state, made of numbers, strings, lists and dicts; `restore` reads it back."""

Array: TypeAlias = "NDArray[Any]"
"""An array of numbers of any type, as kernels accept it."""

Arrays: TypeAlias = "tuple[NDArray[Any], ...]"
"""Several arrays that belong together, such as the codes of a distance space."""


def objects(kind: type[Any], count: int, **slots: Iterable[object]) -> list[Any]:
    """Objects of a class with slots, with these values in them, which are not checked. A tenth of what `kind(...)` takes."""
    made = list(map(object.__new__, repeat(kind, count)))
    for name, values in slots.items():
        deque(map(getattr(kind, name).__set__, made, values), maxlen=0)
    return made
