"""Events: publishing one or many, each exactly once, and reading the log."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple, TypeVar
from uuid import uuid4

import msgspec
from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rankcast.errors import ModelError, RankcastError, RecordError
from rankcast.language import decode_event, encode_event
from rankcast.language.files import MAX_RAW
from rankcast.language.json_text import read_object
from rankcast.model import Event, Reject
from rankcast.plain import JsonObject
from rankcast.service.access import Principal, Role
from rankcast.service.api.answers import JSON, answer, fitting
from rankcast.service.api.deliveries import Limit, Order
from rankcast.service.api.fields import Cursor
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Caller, PublishingCaller, ServiceOf, publishing_caller
from rankcast.service.problems import Problem, answer_of, problem_of
from rankcast.service.publisher import Results
from rankcast.service.rates import RateLimits
from rankcast.service.request_shares import by_turn
from rankcast.service.service import Service
from rankcast.service.settings import PUBLISHING
from rankcast.store import PublishReceipt

_KEY_LENGTH = 200

router = APIRouter(prefix="/events", tags=["events"])

LINES = "application/x-ndjson"
_LINES = (LINES, "application/jsonl", "application/x-jsonlines", "application/jsonlines")
_SMALL = 16 * 1024
"""Bytes of a body that can be parsed within a millisecond or two."""
_PART = 128 * 1024
"""Bytes of events that are parsed in one step."""
_Result = TypeVar("_Result")
_raw_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


class _Line(NamedTuple):
    """One event of a request: its text, and the event or the error."""

    raw: bytes
    event: Event | ModelError


_RECEIPTS = ("BulkPublished", "Published")


@router.post(
    "",
    status_code=201,
    openapi_extra=body("EventOrEvents", LINES),
    responses=says("Published", "The event is on disk", 201)
    | {
        200: {
            "description": "Of several events (an array, or JSON Lines): which are on disk, and which are not and why. "
            "Of one event that was on disk already: its receipt",
            "content": {JSON: {"schema": {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in _RECEIPTS]}}},
        }
    },
)
async def publish(
    caller: PublishingCaller,
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=_KEY_LENGTH,
            description="With the same key, the same request is done once, and answered in the same words for two days.",
        ),
    ] = None,
) -> Response:
    """Publish one event, or several as a JSON array or as JSON Lines (`application/x-ndjson`).

    Acknowledged events are on disk. An event with the `id` and content of an event in the log is acknowledged again
    as a `duplicate` and not published twice. In a request with several events, invalid ones are rejected with their
    index and the reason, and the others are published. A publisher publishes under its own name, so `source` may be
    left out. An event is refused if its time is more than an hour ahead of the service's clock, or if it is larger
    than 256 KiB. A service may be started with other limits.
    """
    service: Service = request.app.state.service
    content = await request.body()
    kind = request.headers.get("content-type", JSON).split(";")[0].strip().lower()
    if kind != JSON and kind not in _LINES:
        raise Problem(415, "content-type", f"the events must be {JSON} or {LINES}, not {kind[:60]!r}")
    several = kind in _LINES or content.lstrip()[:1] == b"["
    if idempotency_key is None:
        return await _publish(service, caller, content, kind, several, None)
    print_ = await _beside(content, lambda: blake2b(kind.encode() + b"\0" + content, digest_size=32).digest())
    reserved = await by_turn(service.answers.reserve, caller.token, idempotency_key, print_)
    if reserved.answer is not None:
        status, _, text = reserved.answer.partition(b" ")
        return Response(text, int(status), {"Cache-Control": "no-store", "Idempotency-Replayed": "true"}, JSON)
    # The key determines the ids of events without one, and its first use determines their time: so a retry is safe.
    given = _Given(f"{caller.token}\0{idempotency_key}", reserved.first)
    made = await _publish(service, caller, content, kind, several, given)
    kept = str(made.status_code).encode() + b" " + bytes(made.body)
    await asyncio.to_thread(service.answers.keep, caller.token, idempotency_key, kept)
    return made


async def _beside(content: bytes, work: Callable[[], _Result]) -> _Result:
    """Run `work` on a body: at once if the body is small, otherwise in a thread when it is the caller's turn."""
    return work() if len(content) <= _SMALL else await by_turn(work)


class Publishing:
    """Answers `POST /v1/events` before the framework looks for a route.

    Publishing is the most frequent request, and the framework takes longer to resolve the route, the caller and the
    header than the rest of the work. The route exists too: it documents the request, and answers under any other
    prefix.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Publish, or pass a different request on."""
        if scope["type"] != "http" or scope["path"] != PUBLISHING or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await publish(await publishing_caller(request), request, _key(request))
        except RankcastError as error:
            response = answer_of(problem_of(error))
        await response(scope, receive, send)


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 1 <= len(key) <= _KEY_LENGTH:
        wrong = {"where": "header.idempotency-key", "reason": f"it must have 1 to {_KEY_LENGTH} characters"}
        raise Problem(422, "parameters", f"{wrong['where']}: {wrong['reason']}", errors=[wrong])
    return key


class _Given(NamedTuple):
    """The key and the time from which events without an id or a time get theirs."""

    key: str
    now: Any


async def _publish(
    service: Service, caller: Principal, content: bytes, kind: str, several: bool, given: _Given | None
) -> Response:
    limits = service.settings.limits
    if not several and len(content) > limits.event.size:
        limit = f"an event of {len(content):,} bytes; at most {limits.event.size:,} are allowed"
        raise Problem(413, "limit", limit)

    check_rate(service, caller, service.byte_rates, len(content), "bytes")
    raws = await _beside(content, lambda: _split(content, kind, limits.bulk)) if several else [content]
    check_rate(service, caller, service.event_rates, len(raws), "events")
    lines: list[_Line] = []
    for part in _parts(raws):  # one after the other, so that short requests get a turn during a long one
        begin = len(lines)

        def read(part: Sequence[bytes] = part, begin: int = begin) -> list[_Line]:
            return [_read(service, caller, raw, place, given) for place, raw in enumerate(part, begin)]

        lines += await _beside(content, read)
    events = [line.event for line in lines if isinstance(line.event, Event)]
    results = iter(await _log(service, caller, events, len(content)))
    done: list[PublishReceipt | ModelError] = [
        next(results) if isinstance(line.event, Event) else line.event for line in lines
    ]
    if not several:
        (only,) = done
        if isinstance(only, ModelError):
            raise only
        return answer(only._asdict(), 200 if only.duplicate else 201)
    # Charged but not delayed or refused: the events are in the log.
    rejects, made = await run_in_threadpool(
        service.shares.charged, caller.token, lambda: _bulk_answer(caller, lines, done)
    )
    if rejects:
        await asyncio.to_thread(service.store.reject, rejects)
    return made


def check_rate(service: Service, caller: Principal, rates: RateLimits, amount: int, of_what: str) -> None:
    """Refuse a request above the rate of a token. A request within the size limits always fits into the burst."""
    wait = 0.0 if service.settings.dev else rates.take(caller.token, min(float(amount), rates.burst))
    if wait:
        raise Problem(
            429,
            "rate",
            f"too many {of_what}: a token may publish {rates.rate:,.0f} per second; publish this again in {wait:.1f} s",
            {"Retry-After": str(max(1, round(wait)))},
        )


async def _log(service: Service, caller: Principal, events: Sequence[Event], size: int) -> Results:
    """Log events in portions, as the publisher's backlog allows. A long request takes as long as its events."""
    results: Results = []
    while len(results) < len(events):
        rest = events[len(results) :]
        taken = await service.backlogs.take(caller.token, len(rest), is_begun=bool(results))
        new: list[PublishReceipt] = []
        service.hurry(caller.token)
        try:
            done = await service.publisher.publish(rest[:taken], caller.token, size * taken // len(events))
            new = [one for one in done if isinstance(one, PublishReceipt) and not one.duplicate]
            results += done
        finally:
            service.backlogs.logged(caller.token, taken, len(new), new[-1].offset if new else 0)
    return results


def _bulk_answer(
    caller: Principal, lines: Sequence[_Line], done: Sequence[PublishReceipt | ModelError]
) -> tuple[list[Reject], Response]:
    rejects = [
        Reject(f"api {caller.token}", place, str(result), _beginning(line.raw))
        for place, (line, result) in enumerate(zip(lines, done, strict=True), 1)
        if isinstance(result, ModelError)
    ]
    return rejects, answer(
        {
            "published": [result._asdict() for result in done if isinstance(result, PublishReceipt)],
            "rejected": [
                {"index": place, "detail": problem_of(result).detail}
                for place, result in enumerate(done)
                if isinstance(result, ModelError)
            ],
        }
    )


def _split(content: bytes, kind: str, most: int) -> list[bytes]:
    """The texts of the events of a request."""
    if kind == JSON:
        try:
            raws = [bytes(raw) for raw in _raw_list(content)]
        except (ValueError, RecursionError) as error:
            raise RecordError(f"not valid JSON: {error}") from None
    else:
        raws = [line for line in content.split(b"\n") if line.strip()]
    if len(raws) > most:
        raise Problem(413, "limit", f"{len(raws):,} events in one request; the limit is {most:,}")
    return raws


def _parts(raws: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Group the texts into parts of limited size. A text over the limit forms its own part."""
    begin = size = 0
    for place, raw in enumerate(raws):
        if size and size + len(raw) > _PART:
            yield raws[begin:place]
            begin, size = place, 0
        size += len(raw)
    yield raws[begin:]


def _read(service: Service, caller: Principal, raw: bytes, place: int, given: _Given | None) -> _Line:
    limits = service.settings.limits.event
    now = service.store.database.clock()
    try:
        limits.check_size(raw)
        fields = read_object(raw)
        if fields.get("id") is None:
            fields["id"] = _new_id(given, place)
        if caller.role is Role.PUBLISHER:
            fields["source"] = _own_source(caller, fields)
        event = decode_event(fields, given.now if given else now)
        limits.check_time(event, now)
        if event.advertisement is not None and not caller.is_administrator:
            _check_advertisement(service, caller, event.advertisement)
    except ModelError as error:
        return _Line(raw, error)
    return _Line(raw, event)


def _beginning(raw: bytes) -> str:
    """The beginning of an invalid line, as long as a reject stores it."""
    text = raw[: 4 * MAX_RAW].decode("utf-8", "replace")[:MAX_RAW]
    return text if len(raw) <= MAX_RAW else f"{text}… (cut; it has {len(raw):,} bytes)"


def _new_id(given: _Given | None, place: int) -> str:
    if given is None:
        return f"e-{uuid4().hex}"
    return f"e-{blake2b(f'{given.key}{chr(0)}{place}'.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def _own_source(caller: Principal, fields: JsonObject) -> str | None:
    if fields.get("source") not in (None, caller.name):
        raise RecordError(f"source is {str(fields['source'])[:60]!r}; this token publishes as {caller.name!r}")
    return caller.name


def _check_advertisement(service: Service, caller: Principal, name: str) -> None:
    found = service.catalog().advertisements.get(name)
    if found is None or not caller.is_publisher(found.publisher):
        raise RecordError(f"there is no advertisement {name!r} of yours")


_SCANNED = 1_000
"""The most events that are read for one page; of these, a publisher sees only its own."""


@router.get("", responses=says("Events", "A page of events"))
def list_events(
    caller: Caller, service: ServiceOf, limit: Limit = 50, order: Order = "oldest", cursor: Cursor = None
) -> Response:
    """The events of the log, by their position `seq`. Users may read all events, publishers their own.

    `next` is the cursor of the next page, or null at the end. A page may have fewer than `limit` events, or none,
    before the end.
    """
    last = service.store.last_offset()
    if order == "newest":
        end = min(last, int(cursor) - 1) if cursor else last
        start = max(0, end - limit)
        entries = list(service.store.events(start, end - start))[::-1] if end > start else []
        following = start + 1 if start > 0 else None
    else:
        start = min(last, int(cursor or 0))
        entries = list(service.store.events(start, _SCANNED if caller.role is Role.PUBLISHER else limit))
        following = entries[-1].offset if entries and entries[-1].offset < last else None
    own = [entry for entry in entries if caller.role is not Role.PUBLISHER or entry.event.source == caller.name]
    forms = fitting(
        ({**encode_event(entry.event), "seq": entry.offset} for entry in own[:limit]),
        service.settings.limits.page_bytes,
    )
    if len(forms) < len(own):
        following = own[len(forms) - 1].offset
    return answer({"events": forms, "next": None if following is None else str(following)})


@router.get("/{event:name}", responses=says("Event", "The event"))
def show_event(event: str, caller: Caller, service: ServiceOf) -> Response:
    """An event of the log. Users may read all events, as they may subscribe to all. Publishers may read their own."""
    found = service.event(event)
    if found is None or (caller.role is Role.PUBLISHER and found.source != caller.name):
        raise Problem(404, "not-found", f"there is no event {event!r}")
    return answer({**encode_event(found), "seq": found.seq})
