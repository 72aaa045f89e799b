"""OpenAPI schemas of webhooks, quiet hours and digests."""

from rankcast.plain import JsonObject
from rankcast.service.api.field_schemas import (
    COUNT,
    FLAG,
    INSTANT,
    MAYBE_TEXT,
    MAYBE_TIME,
    OPEN,
    TEXT,
    array_of,
    object_of,
    or_null,
    reference,
)
from rankcast.service.push.digests import DAYS, Reason
from rankcast.service.push.webhooks import TYPES

_CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
_ZONE = {"type": "string", "description": "of the IANA database, such as Europe/Berlin"}
_TYPES = {"type": ["array", "null"], "items": {"enum": list(TYPES)}, "minItems": 1}


_MESSAGE = {"type": {"enum": list(TYPES)}, "number": {"type": "integer", "minimum": 1}}
_WHEN = {
    "days": {
        "anyOf": [
            {"enum": ["daily", "weekdays", "weekends", *DAYS]},
            {"type": "array", "items": {"enum": list(DAYS)}, "minItems": 1},
        ]
    },
    "at": _CLOCK,
    "zone": _ZONE,
}
_WEBHOOK = {
    "id": TEXT,
    "user": TEXT,
    "url": TEXT,
    "description": TEXT,
    "types": {**_TYPES, "description": "null: digests for as long as there is a schedule, and deliveries otherwise"},
    "created": INSTANT,
    "active": FLAG,
    "disabled_because": MAYBE_TEXT,
    "accepted": {**COUNT, "description": "messages that the receiver has"},
    "accepted_at": MAYBE_TIME,
    "failures": {**COUNT, "description": "in a row"},
    "failing_since": MAYBE_TIME,
    "last_failure": MAYBE_TEXT,
    "paused_until": MAYBE_TIME,
    "secret_rotates_until": {**MAYBE_TIME, "description": "until then messages are also signed with the old secret"},
    "waiting": COUNT,
    "retrying": COUNT,
    "dead": COUNT,
}

PUSH_SCHEMAS: JsonObject = {
    "NewWebhook": object_of(
        {"url": TEXT, "description": TEXT, "types": _TYPES},
        ("url",),
        additionalProperties=False,
        example={"url": "https://example.org/hook", "description": "the kitchen"},
    ),
    "WebhookChange": object_of(
        {"url": TEXT, "description": TEXT, "types": _TYPES, "active": FLAG}, (), additionalProperties=False
    ),
    "Webhook": object_of(_WEBHOOK),
    "WebhookWithSecret": object_of(
        {**_WEBHOOK, "secret": {**TEXT, "description": "what messages are signed with; only in this answer"}}
    ),
    "Webhooks": array_of(reference("Webhook")),
    "WebhookTest": object_of({"accepted": FLAG, "status": {"type": ["integer", "null"]}, "reason": TEXT}),
    "DeadLetters": object_of(
        {
            "dead": array_of(object_of({**_MESSAGE, "attempts": COUNT, "reason": TEXT, "failed": INSTANT})),
            "next": MAYBE_TEXT,
        }
    ),
    "Replay": object_of(
        {"messages": {"type": "array", "items": object_of(_MESSAGE, additionalProperties=False), "maxItems": 1000}},
        (),
        additionalProperties=False,
        description="Which dead letters to send again; all if it is left out.",
    ),
    "Replayed": object_of({"replayed": COUNT}),
    "QuietHours": object_of(
        {"from": _CLOCK, "to": _CLOCK, "zone": _ZONE},
        additionalProperties=False,
        example={"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"},
    ),
    "QuietHoursNow": object_of(
        {"from": _CLOCK, "to": _CLOCK, "zone": _ZONE, "quiet_until": {**MAYBE_TIME, "description": "null: not now"}}
    ),
    "DigestSchedule": object_of(
        _WHEN, additionalProperties=False, example={"days": "weekdays", "at": "08:00", "zone": "Europe/Berlin"}
    ),
    "DigestScheduleNow": object_of({**_WHEN, "next": INSTANT}),
    "Held": object_of(
        {
            "held": FLAG,
            "because": {"enum": ["digest", "quiet hours", None]},
            "after": {"type": ["integer", "null"], "description": "deliveries with higher numbers are held"},
            "until": MAYBE_TIME,
        }
    ),
    "DigestLine": object_of(
        {
            "number": COUNT,
            "due": INSTANT,
            "made": INSTANT,
            "published": COUNT,
            "matched": COUNT,
            "delivered": COUNT,
            "left_out": COUNT,
        }
    ),
    "DigestList": object_of({"digests": array_of(reference("DigestLine")), "next": MAYBE_TEXT}),
    "Digest": object_of(
        {
            "number": COUNT,
            "user": TEXT,
            "due": INSTANT,
            "made": INSTANT,
            "schedule": reference("DigestSchedule"),
            "summary": TEXT,
            "published": COUNT,
            "matched": COUNT,
            "delivered": COUNT,
            "reconsidered": {**COUNT, "description": "left out of an earlier digest, and sent after all"},
            "waiting": {**COUNT, "description": "in a period that is not over"},
            "left_out": object_of(
                {
                    "count": COUNT,
                    "listed": {**COUNT, "description": "how many can be listed: the best"},
                    "reasons": {
                        "type": "object",
                        "properties": {reason.value: {**COUNT, "description": reason.label} for reason in Reason},
                    },
                    "best": array_of(OPEN),
                }
            ),
            "not_examined": COUNT,
            "exact": {**FLAG, "description": "whether retracing found just the deliveries that were made"},
            "deliveries": object_of({"after": COUNT, "through": COUNT}),
            "items": array_of(OPEN),
            "more": {**COUNT, "description": "deliveries beyond the items"},
        }
    ),
    "LeftOutPage": object_of(
        {
            "left_out": array_of(
                object_of(
                    {
                        "position": COUNT,
                        "event": TEXT,
                        "seq": COUNT,
                        "rank": {"type": ["number", "null"]},
                        "reason": {"enum": [reason.value for reason in Reason]},
                        "label": TEXT,
                        "detail": TEXT,
                        "content": or_null(reference("Event")),
                    }
                )
            ),
            "next": MAYBE_TEXT,
        }
    ),
}
"""All schemas by name."""
