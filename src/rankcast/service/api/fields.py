"""Validation of request bodies that are not catalog records, and of parameters that several routes have."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from rankcast.errors import RecordError
from rankcast.language.json_text import read_object
from rankcast.model import MAX_TEXT, check_name
from rankcast.model.declared import Name
from rankcast.plain import JsonObject

Cursor = Annotated[
    str | None,
    Query(pattern="^[0-9]{1,18}$", description="`next` of the page before; leave it out for the first page."),
]
"""The query parameter for the position of a page in a list."""


def fields_in(body: bytes, what: str, known: tuple[str, ...], needed: tuple[str, ...] = ()) -> JsonObject:
    """The JSON object of a body; an empty body is an empty object. RecordError names an unknown or missing field."""
    fields = read_object(body or b"{}")
    for name in fields:
        if name not in known:
            raise RecordError(f"{what} has no field {name[:60]!r}; it has {', '.join(known)}")
    for name in needed:
        if fields.get(name) is None:
            raise RecordError(f"{what} needs the field {name!r}")
    return fields


def texts(fields: Mapping[str, object], *names: str) -> None:
    """Raise if one of these fields is present but is not a string, or contains a NUL character."""
    for name in names:
        text = fields.get(name)
        if not isinstance(text, str | None):
            raise RecordError(f"field {name!r} must be a string")
        if text is not None and "\0" in text:
            raise RecordError(f"field {name!r} has a NUL character, which cannot be kept")


async def check_address(request: Request) -> None:
    """Refuse control characters in the path and the query: no name contains any, and PostgreSQL cannot store NUL."""
    for name, text in (*request.path_params.items(), *request.query_params.multi_items()):
        check_name(f"{name!r} in the address", str(text), Name(0, MAX_TEXT))
