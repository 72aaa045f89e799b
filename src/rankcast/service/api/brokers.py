"""Brokers: the sessions of edges, and the tree as this broker sees it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from rankcast.plain import JsonObject
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.publishing import check_rate
from rankcast.service.api.schemas import body, says
from rankcast.service.brokers.link import Link
from rankcast.service.brokers.messages import (
    Acknowledged,
    BrokerMessages,
    BrokerName,
    BrokerTree,
    Heartbeat,
    Hello,
    Message,
    Publications,
    Welcome,
    decode_hello,
    decode_messages,
)
from rankcast.service.callers import Administrator, BrokerCaller, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.service import Service

router = APIRouter(prefix="/brokers", tags=["brokers"])

_BEAT = 1.0
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_LINES = "application/x-ndjson"
_Session = Annotated[str, Path(max_length=64, description="The session, as the answer to the introduction gave it.")]
_STREAM: dict[int | str, JsonObject] = {
    200: {
        "description": "Messages without end, one JSON object per line: `items`, `publications`, `tree`, `heartbeat`",
        "content": {_LINES: {"schema": {"$ref": "#/components/schemas/Message"}}},
    }
}
_encode = msgspec.json.Encoder().encode


@router.get("", responses=says("BrokerTree", "The tree"))
def show_brokers(caller: Administrator, service: ServiceOf) -> Response:
    """The tree of brokers that this service belongs to: what each broker forwards and hides, and how far it is behind.

    `brokers` is empty if the service belongs to no tree. `settled` says whether all neighbours have everything that
    this broker has to say.
    """
    return answer(service.brokers.view.tree())


@router.get("/self", responses=says("BrokerName", "The name"))
def show_broker_name(caller: BrokerCaller, service: ServiceOf) -> Response:
    """The name of the broker that the token belongs to; null for an administrator's token."""
    return answer(BrokerName(caller.name))


@router.delete("/{broker:name}", status_code=204, responses=says(None, "Removed", 204))
def forget_broker(broker: str, caller: Administrator, service: ServiceOf) -> Response:
    """Remove an edge that is gone for good: nothing is kept for it any more, and nothing is forwarded for its users."""
    if service.brokers.me is None or not service.brokers.forget(broker):
        raise Problem(404, "not-found", f"there is no edge {broker!r}")
    return Response(status_code=204)


@router.post("/sessions", openapi_extra=body("Hello"), responses=says("Welcome", "A session has begun"))
def introduce(caller: BrokerCaller, service: ServiceOf, content: Body) -> Response:
    """Introduce an edge to its upstream, and begin a session. An earlier session of the same edge ends.

    Refused with 409 if the link would close a loop of brokers (with the path), if the name is taken, or if one of the
    two stores is older than what the other has already received from it.
    """
    return answer(service.brokers.introductions.welcome(decode_hello(content), caller.name))


@router.post(
    "/sessions/{session:part}/messages",
    openapi_extra=body("BrokerMessages"),
    responses=says("Acknowledged", "What is on disk now"),
)
def send_messages(session: _Session, caller: BrokerCaller, service: ServiceOf, content: Body) -> Response:
    """Messages of an edge: changed items, publications, acknowledgements. They are on disk when this is answered.

    A repeated message changes nothing: events are known by their offset in the edge's log. The limits on what a token
    may publish hold here too.
    """
    link = service.brokers.introductions.session(session, caller.name)
    messages = decode_messages(content)
    events = sum(len(one.events) for one in messages if isinstance(one, Publications))
    check_rate(service, caller, service.byte_rates, len(content), "bytes")
    check_rate(service, caller, service.event_rates, events, "events")
    for message in messages:
        link.inbox.receive(message, session)
    link.wake()
    return answer(link.inbox.received())


@router.get("/sessions/{session:part}/stream", responses=_STREAM, response_class=StreamingResponse)
async def broker_stream(session: _Session, caller: BrokerCaller, service: ServiceOf, request: Request) -> Response:
    """Messages for an edge, from where its session begins, as they happen, and a heartbeat each second."""
    link = await run_in_threadpool(service.brokers.introductions.session, session, caller.name)
    secret = request.headers.get("authorization", "")[len("Bearer ") :].strip()
    return StreamingResponse(_written(service, link, session, secret), media_type=_LINES, headers=_HEADERS)


async def _written(service: Service, link: Link, session: str, secret: str) -> AsyncGenerator[bytes, None]:
    loop, woken = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(woken.set)

    if link.session != session:
        return  # another one has begun meanwhile
    link.wake = wake
    link.is_connected = True
    beat = loop.time()
    try:
        yield _line(Heartbeat())
        while link.session == session and not service.brokers.is_stopping:
            woken.clear()
            messages = await run_in_threadpool(link.outbox.outgoing, session)
            if messages:
                yield b"".join(map(_line, messages))
                continue
            if loop.time() - beat >= _BEAT:
                beat = loop.time()
                if not service.settings.dev and await service.access.admit(secret) is None:
                    return  # revoked meanwhile
                yield _line(Heartbeat())
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), _BEAT / 4)
    finally:
        link.close(session)


def _line(message: Message) -> bytes:
    return _encode(message) + b"\n"


_DECLARED = (Acknowledged, BrokerMessages, BrokerName, BrokerTree, Hello, Welcome)
_REF = "#/components/schemas/{name}"


def _schemas() -> JsonObject:
    (message, *_), components = msgspec.json.schema_components([Message, *_DECLARED], ref_template=_REF)
    return {"Message": {**message, "description": "One message between two brokers."}, **components}


BROKER_SCHEMAS = _schemas()
