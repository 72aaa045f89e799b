"""Shared parts of all routes: reading bodies, writing responses, conditional requests, limits."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Annotated, TypeAlias

import msgspec
from fastapi import Depends, Request
from starlette.responses import Response

from rankcast.errors import RecordError
from rankcast.language import decode_record, encode_record
from rankcast.language.json_text import read_object
from rankcast.model import Catalog, Record
from rankcast.service.problems import Problem
from rankcast.service.service import Service

JSON = "application/json"


async def _body(request: Request) -> bytes:
    return await request.body()


Body: TypeAlias = Annotated[bytes, Depends(_body)]
"""The body of the request, as bytes."""


def answer(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response that caches must not store."""
    return Response(msgspec.json.encode(content), status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def fitting(forms: Iterable[object], most: int) -> list[msgspec.Raw]:
    """Encode the first values that fit into `most` bytes together; at least one, so that a reader makes progress.

    >>> [bytes(one) for one in fitting(["a", "b", "c"], 6)]
    [b'"a"', b'"b"']
    """
    found: list[msgspec.Raw] = []
    for form in forms:
        text = msgspec.json.encode(form)
        most -= len(text)
        if found and most < 0:
            break
        found.append(msgspec.Raw(text))
    return found


def record_answer(record: Record, request: Request, status: int = 200, **more: object) -> Response:
    """A response with a record and its `ETag`; 304 if the caller already has this version."""
    content = encode_record(record)
    tag = etag(record)
    if request.method == "GET" and tag in _tags(request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers={"ETag": tag})
    return answer({**content, **more}, status, {"ETag": tag})


def etag(record: Record) -> str:
    """A tag that changes when the record changes."""
    return f'"{blake2b(msgspec.json.encode(encode_record(record)), digest_size=12).hexdigest()}"'


def check_unchanged(request: Request, present: Record | None) -> None:
    """Refuse a change if the conditions of the request (`If-Match`, `If-None-Match`) do not hold."""
    wanted, unwanted = request.headers.get("if-match"), request.headers.get("if-none-match")
    tag = None if present is None else etag(present)
    if wanted is not None and (tag is None or (wanted.strip() != "*" and tag not in _tags(wanted))):
        raise Problem(412, "changed", "it is not what If-Match says any more; read it again")
    if unwanted is not None and tag is not None and (unwanted.strip() == "*" or tag in _tags(unwanted)):
        raise Problem(412, "exists", "it is there already, and If-None-Match says that it must not be")


def put_record(
    service: Service,
    request: Request,
    given: Record,
    allow: Callable[[Record | None], None] = lambda present: None,
    **more: object,
) -> Response:
    """Put a record and return it in the response: 200 if it replaces one, otherwise 201.

    The conditions of the request and `allow`, which gets the present record or None, are checked in the same
    transaction.
    """
    seen: list[Record | None] = []

    def check(catalog: Catalog) -> None:
        seen[:] = [catalog.current(given)]
        allow(seen[0])
        check_unchanged(request, seen[0])

    service.put(given, check=check)
    return record_answer(given, request, 201 if seen == [None] else 200, **more)


def remove_record(
    service: Service,
    request: Request,
    find: Callable[[Catalog], Record],
    unreadable: tuple[str, *tuple[str | None, ...]],
    owner: str | None,
) -> Response:
    """Remove the record that `find` returns. The conditions of the request are checked in the same transaction.

    `unreadable` is the kind and key of the record, for a record that cannot be read and is therefore not in the
    catalog. In that case `owner` must be its owner.
    """
    try:
        found = find(service.catalog())
    except Problem:
        kind, *names = unreadable
        if service.store.remove_unreadable(kind, *names, owner=owner):
            return Response(status_code=204)
        raise
    service.remove(found, check=lambda catalog: check_unchanged(request, find(catalog)))
    return Response(status_code=204)


def record_in(body: bytes, kind: str, **fixed: str | None) -> Record:
    """The record in a body. Fields that the address gives (`fixed`) may be omitted, but must not differ."""
    fields = dict(read_object(body))
    for name, value in {"kind": kind, **fixed}.items():
        if fields.get(name) not in (None, value):
            said = "names none" if value is None else f"says {value!r}"
            raise RecordError(f"field {name!r} is {str(fields[name])[:60]!r}, and the address {said}")
        fields[name] = value
    return decode_record({name: value for name, value in fields.items() if value is not None})


def whole(text: str, name: str) -> int:
    """A whole number within the range of log positions."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Problem(422, "parameters", f"{name}: {text[:40]!r} is not a whole number from 0 on")
    return int(text)


def _tags(header: str) -> Iterable[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]
