"""Webhooks: where a user's deliveries and digests are sent, their state, and their dead letters."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from rankcast.errors import CatalogError, RecordError
from rankcast.language import show_time
from rankcast.language.declared_json import encode_value, record_of
from rankcast.plain import JsonObject
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.fields import fields_in, texts
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.push.webhooks import TYPES
from rankcast.service.service import Service
from rankcast.store.push.webhook_log import Webhook
from rankcast.store.push.webhook_messages import MessageKey

router = APIRouter(prefix="/users/{user:part}/webhooks", tags=["webhooks"])

_Id = Annotated[str, Path(description="The id of the webhook.", examples=["wh_0123456789abcdef"])]
_Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
_Cursor = Annotated[
    str | None,
    Query(
        pattern=r"^[0-9]{1,18}\.[a-z.]{1,20}$", description="`next` of the page before; left out for the first page."
    ),
]
_FIELDS = ("url", "description", "types")
_SHOWN = (
    *("id", "user", *_FIELDS, "created", "active", "disabled_because"),
    *("accepted", "accepted_at", "failures", "failing_since", "last_failure"),
)
_MOST_NAMED = 1000


@router.get("", responses=says("Webhooks", "All webhooks of the user"))
def list_webhooks(user: Owner, service: ServiceOf) -> Response:
    """The webhooks of a user, oldest first."""
    return answer([_form(service, webhook) for webhook in service.webhooks.endpoints.of(user)])


@router.post(
    "",
    status_code=201,
    openapi_extra=body("NewWebhook"),
    responses=says("WebhookWithSecret", "The webhook with its secret, which is shown only once", 201),
)
def add_webhook(user: Owner, service: ServiceOf, content: Body) -> Response:
    """Send future deliveries to a URL. The secret is shown only in this answer."""
    fields = fields_in(content, "a webhook", _FIELDS, needed=("url",))
    _check(fields)
    made, secret = service.webhooks.endpoints.add(
        user, fields["url"], fields.get("description") or "", fields.get("types")
    )
    return answer({**_form(service, made), "secret": secret}, 201)


@router.get("/{webhook}", responses=says("Webhook", "The webhook, without its secret"))
def show_webhook(user: Owner, webhook: _Id, service: ServiceOf) -> Response:
    """A webhook: whether it is active, and how many messages were accepted, wait, are being retried, or are dead."""
    return answer(_form(service, _found(service, user, webhook)))


@router.patch("/{webhook}", openapi_extra=body("WebhookChange"), responses=says("Webhook", "The webhook as it is now"))
def change_webhook(user: Owner, webhook: _Id, service: ServiceOf, content: Body) -> Response:
    """Change the given fields and keep the others. `active` disables the webhook, or resumes it where it stopped."""
    present = _found(service, user, webhook)
    fields = fields_in(content, "a webhook", (*_FIELDS, "active"))
    _check(fields)
    if not isinstance(fields.get("active"), bool | None):
        raise RecordError("field 'active' must be true or false")
    endpoints = service.webhooks.endpoints
    if set(fields) & set(_FIELDS):
        url, description = fields.get("url") or present.url, fields.get("description")
        types = fields.get("types", present.types)
        endpoints.change(user, webhook, url, present.description if description is None else description, types)
    if fields.get("active") is not None and fields["active"] != present.active:
        (endpoints.enable if fields["active"] else endpoints.disable)(user, webhook)
    service.webhooks.wake()
    return answer(_form(service, _found(service, user, webhook)))


@router.delete("/{webhook}", status_code=204, responses=says(None, "Removed", 204))
def remove_webhook(user: Owner, webhook: _Id, service: ServiceOf) -> Response:
    """Remove a webhook, and drop the messages that wait for it."""
    service.webhooks.endpoints.remove(user, _found(service, user, webhook).id)
    return Response(status_code=204)


@router.post(
    "/{webhook}/secret",
    responses=says("WebhookWithSecret", "The webhook with its new secret, which is shown only once"),
)
def rotate_secret(user: Owner, webhook: _Id, service: ServiceOf) -> Response:
    """Create a new secret. For 24 hours, messages are signed with both the new and the old secret."""
    made, secret = service.webhooks.endpoints.rotate(user, _found(service, user, webhook).id)
    return answer({**_form(service, made), "secret": secret})


@router.post("/{webhook}/test", responses=says("WebhookTest", "What the receiver answered"))
async def try_webhook(user: Owner, webhook: _Id, service: ServiceOf) -> Response:
    """Send one message of type `webhook.test` now, even to a disabled webhook. It is not retried."""
    found = await asyncio.to_thread(_found, service, user, webhook)
    outcome = await service.webhooks.test(user, found.id)
    return answer({"accepted": outcome.accepted, "status": outcome.status, "reason": outcome.reason})


@router.get("/{webhook}/dead", responses=says("DeadLetters", "A page of dead letters"))
def list_dead_letters(
    user: Owner, webhook: _Id, service: ServiceOf, limit: _Limit = 50, cursor: _Cursor = None
) -> Response:
    """Messages that failed at every attempt, oldest first."""
    found = _found(service, user, webhook)
    after = None
    if cursor is not None:
        number, _, type_ = cursor.partition(".")
        after = MessageKey(type_, int(number))
    dead = service.webhooks.endpoints.dead(user, found.id, after, limit + 1)
    page = [
        {
            "type": letter.key.type,
            "number": letter.key.number,
            "attempts": letter.attempts,
            "reason": letter.reason,
            "failed": show_time(letter.failed),
        }
        for letter in dead[:limit]
    ]
    return answer({"dead": page, "next": f"{page[-1]['number']}.{page[-1]['type']}" if len(dead) > limit else None})


@router.post(
    "/{webhook}/dead/replay", openapi_extra=body("Replay"), responses=says("Replayed", "How many are sent again")
)
def replay_dead_letters(user: Owner, webhook: _Id, service: ServiceOf, content: Body) -> Response:
    """Send dead letters again, either the given ones or all, under their original ids."""
    found = _found(service, user, webhook)
    named = fields_in(content, "a replay", ("messages",)).get("messages")
    keys = None if named is None else _keys(named)
    count = service.webhooks.endpoints.replay(user, found.id, keys)
    service.webhooks.wake()
    return answer({"replayed": count})


def _found(service: Service, user: str, webhook: str) -> Webhook:
    try:
        return service.webhooks.endpoints.get(user, webhook)
    except CatalogError as error:
        raise Problem(404, "not-found", str(error)) from None


def _check(fields: Any) -> None:
    texts(fields, "url", "description")
    types = fields.get("types")
    if types is not None and not (isinstance(types, list) and all(isinstance(name, str) for name in types)):
        raise RecordError(f"field 'types' must be a list of some of {', '.join(TYPES)}")


def _keys(named: Any) -> list[MessageKey]:
    def is_named(one: Any) -> bool:
        return (
            isinstance(one, dict)
            and set(one) == {"type", "number"}
            and one["type"] in TYPES
            and type(one["number"]) is int
            and 0 < one["number"] < 2**63
        )

    if not (isinstance(named, list) and len(named) <= _MOST_NAMED and all(map(is_named, named))):
        raise RecordError(f"field 'messages' must be a list of at most {_MOST_NAMED} objects with 'type' and 'number'")
    return [MessageKey(one["type"], one["number"]) for one in named]


def _form(service: Service, webhook: Webhook) -> JsonObject:
    counts = service.webhooks.endpoints.counts(webhook.user, webhook.id)
    now = service.store.database.clock()
    rotating = next((secret.until for secret in webhook.secrets if secret.until is not None), None)
    return {
        **record_of(webhook, *_SHOWN),
        "paused_until": encode_value(webhook.paused_until if webhook.paused_until > now else None),
        "secret_rotates_until": encode_value(rotating if rotating is not None and rotating > now else None),
        **counts._asdict(),
    }
