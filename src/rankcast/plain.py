"""Plain data: what JSON and msgpack hold, with names that say what it is for."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Array", "Arrays", "JsonObject", "State"]

JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON: a record, an event or an answer before it is decoded or after it is encoded."""

State: TypeAlias = dict[str, Any]
"""Delivery state as it is saved: numbers, strings, lists and dicts, which `restore` takes back."""

Array: TypeAlias = "NDArray[Any]"
"""An array of numbers of any kind, as kernels take them."""

Arrays: TypeAlias = "tuple[NDArray[Any], ...]"
"""Several arrays that belong together, such as the codes of a space of distances."""
