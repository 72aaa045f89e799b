"""Bodies that are no records of the catalog: which fields they have, and of what type."""

from collections.abc import Mapping
from typing import Any

from rankcast.errors import RecordError
from rankcast.language.json_text import read_object

__all__ = ["fields_in", "texts"]


def fields_in(body: bytes, what: str, known: tuple[str, ...], needed: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """The object of a body (an empty body is an empty one); RecordError names a field that is unknown or missing."""
    fields = read_object(body or b"{}")
    for name in fields:
        if name not in known:
            raise RecordError(f"{what} has no field {name[:60]!r}; it has {', '.join(known)}")
    for name in needed:
        if fields.get(name) is None:
            raise RecordError(f"{what} needs the field {name!r}")
    return fields


def texts(fields: Mapping[str, Any], *names: str) -> None:
    """Raise RecordError if one of these fields is there and no string."""
    for name in names:
        if not isinstance(fields.get(name), str | None):
            raise RecordError(f"field {name!r} must be a string")
