"""Type aliases for plain data (as in JSON and msgpack) and for arrays, named by their purpose."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Array", "Arrays", "JsonObject", "State"]

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: a record, an event or an answer, before decoding or after encoding."""

State: TypeAlias = dict[str, Any]
"""Saved delivery state, made of numbers, strings, lists and dicts; `restore` reads it back."""

Array: TypeAlias = "NDArray[Any]"
"""An array of numbers of any type, as kernels accept it."""

Arrays: TypeAlias = "tuple[NDArray[Any], ...]"
"""Several arrays that belong together, such as the codes of a distance space."""
