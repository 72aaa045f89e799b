"""OpenAPI schemas of webhooks, quiet hours and digests."""

from rankcast.plain import JsonObject
from rankcast.service.api import field_schemas as form
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
    "id": form.TEXT,
    "user": form.TEXT,
    "url": form.TEXT,
    "description": form.TEXT,
    "types": {**_TYPES, "description": "null: digests for as long as there is a schedule, and deliveries otherwise"},
    "created": form.INSTANT,
    "active": form.FLAG,
    "disabled_because": form.MAYBE_TEXT,
    "accepted": {**form.COUNT, "description": "messages that the receiver has"},
    "accepted_at": form.MAYBE_TIME,
    "failures": {**form.COUNT, "description": "in a row"},
    "failing_since": form.MAYBE_TIME,
    "last_failure": form.MAYBE_TEXT,
    "paused_until": form.MAYBE_TIME,
    "secret_rotates_until": {
        **form.MAYBE_TIME,
        "description": "until then messages are also signed with the old secret",
    },
    "waiting": form.COUNT,
    "retrying": form.COUNT,
    "dead": form.COUNT,
}

PUSH_SCHEMAS: JsonObject = {
    "NewWebhook": form.object_of(
        {"url": form.TEXT, "description": form.TEXT, "types": _TYPES},
        ("url",),
        additionalProperties=False,
        example={"url": "https://example.org/hook", "description": "the kitchen"},
    ),
    "WebhookChange": form.object_of(
        {"url": form.TEXT, "description": form.TEXT, "types": _TYPES, "active": form.FLAG},
        (),
        additionalProperties=False,
    ),
    "Webhook": form.object_of(_WEBHOOK),
    "WebhookWithSecret": form.object_of(
        {**_WEBHOOK, "secret": {**form.TEXT, "description": "what messages are signed with; only in this answer"}}
    ),
    "Webhooks": form.array_of(form.reference("Webhook")),
    "WebhookTest": form.object_of(
        {"accepted": form.FLAG, "status": {"type": ["integer", "null"]}, "reason": form.TEXT}
    ),
    "DeadLetters": form.object_of(
        {
            "dead": form.array_of(
                form.object_of({**_MESSAGE, "attempts": form.COUNT, "reason": form.TEXT, "failed": form.INSTANT})
            ),
            "next": form.MAYBE_TEXT,
        }
    ),
    "Replay": form.object_of(
        {
            "messages": {
                "type": "array",
                "items": form.object_of(_MESSAGE, additionalProperties=False),
                "maxItems": 1000,
            }
        },
        (),
        additionalProperties=False,
        description="Which dead letters to send again; all if it is left out.",
    ),
    "Replayed": form.object_of({"replayed": form.COUNT}),
    "QuietHours": form.object_of(
        {"from": _CLOCK, "to": _CLOCK, "zone": _ZONE},
        additionalProperties=False,
        example={"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"},
    ),
    "QuietHoursNow": form.object_of(
        {
            "from": _CLOCK,
            "to": _CLOCK,
            "zone": _ZONE,
            "quiet_until": {**form.MAYBE_TIME, "description": "null: not now"},
        }
    ),
    "DigestSchedule": form.object_of(
        _WHEN, additionalProperties=False, example={"days": "weekdays", "at": "08:00", "zone": "Europe/Berlin"}
    ),
    "DigestScheduleNow": form.object_of({**_WHEN, "next": form.INSTANT}),
    "Held": form.object_of(
        {
            "held": form.FLAG,
            "because": {"enum": ["digest", "quiet hours", None]},
            "after": {"type": ["integer", "null"], "description": "deliveries with higher numbers are held"},
            "until": form.MAYBE_TIME,
        }
    ),
    "DigestLine": form.object_of(
        {
            "number": form.COUNT,
            "due": form.INSTANT,
            "made": form.INSTANT,
            "published": form.COUNT,
            "matched": form.COUNT,
            "delivered": form.COUNT,
            "left_out": form.COUNT,
        }
    ),
    "DigestList": form.object_of({"digests": form.array_of(form.reference("DigestLine")), "next": form.MAYBE_TEXT}),
    "Digest": form.object_of(
        {
            "number": form.COUNT,
            "user": form.TEXT,
            "due": form.INSTANT,
            "made": form.INSTANT,
            "schedule": form.reference("DigestSchedule"),
            "summary": form.TEXT,
            "published": form.COUNT,
            "matched": form.COUNT,
            "delivered": form.COUNT,
            "reconsidered": {**form.COUNT, "description": "left out of an earlier digest, and sent after all"},
            "waiting": {**form.COUNT, "description": "in a period that is not over"},
            "left_out": form.object_of(
                {
                    "count": form.COUNT,
                    "listed": {**form.COUNT, "description": "how many can be listed: the best"},
                    "reasons": {
                        "type": "object",
                        "properties": {reason.value: {**form.COUNT, "description": reason.label} for reason in Reason},
                    },
                    "best": form.array_of(form.OPEN),
                }
            ),
            "not_examined": form.COUNT,
            "exact": {**form.FLAG, "description": "whether retracing found just the deliveries that were made"},
            "deliveries": form.object_of({"after": form.COUNT, "through": form.COUNT}),
            "items": form.array_of(form.OPEN),
            "more": {**form.COUNT, "description": "deliveries beyond the items"},
        }
    ),
    "LeftOutPage": form.object_of(
        {
            "left_out": form.array_of(
                form.object_of(
                    {
                        "position": form.COUNT,
                        "event": form.TEXT,
                        "seq": form.COUNT,
                        "rank": {"type": ["number", "null"]},
                        "reason": {"enum": [reason.value for reason in Reason]},
                        "label": form.TEXT,
                        "detail": form.TEXT,
                        "content": form.or_null(form.reference("Event")),
                    }
                )
            ),
            "next": form.MAYBE_TEXT,
        }
    ),
}
"""All schemas by name."""
