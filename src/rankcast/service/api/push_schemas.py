"""OpenAPI schemas of webhooks, quiet hours and digests."""

from rankcast.plain import JsonObject
from rankcast.service.push.digests import DAYS, Reason
from rankcast.service.push.webhooks import TYPES

__all__ = ["PUSH_SCHEMAS"]

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_TIME = {"type": "string", "format": "date-time"}
_MAYBE_TIME = {"type": ["string", "null"], "format": "date-time"}
_MAYBE_TEXT = {"type": ["string", "null"]}
_FLAG = {"type": "boolean"}
_CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
_ZONE = {"type": "string", "description": "of the IANA database, such as Europe/Berlin"}
_TYPES = {"type": ["array", "null"], "items": {"enum": list(TYPES)}, "minItems": 1}


def _object(properties: JsonObject, required: tuple[str, ...] | None = None, **more: object) -> JsonObject:
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names, **more}


def _list(of: str) -> JsonObject:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{of}"}}


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
    "id": _TEXT,
    "user": _TEXT,
    "url": _TEXT,
    "description": _TEXT,
    "types": {**_TYPES, "description": "null: digests for as long as there is a schedule, and deliveries otherwise"},
    "created": _TIME,
    "active": _FLAG,
    "disabled_because": _MAYBE_TEXT,
    "accepted": {**_COUNT, "description": "messages that the receiver has"},
    "accepted_at": _MAYBE_TIME,
    "failures": {**_COUNT, "description": "in a row"},
    "failing_since": _MAYBE_TIME,
    "last_failure": _MAYBE_TEXT,
    "paused_until": _MAYBE_TIME,
    "secret_rotates_until": {**_MAYBE_TIME, "description": "until then messages are also signed with the old secret"},
    "waiting": _COUNT,
    "retrying": _COUNT,
    "dead": _COUNT,
}

PUSH_SCHEMAS: JsonObject = {
    "NewWebhook": _object(
        {"url": _TEXT, "description": _TEXT, "types": _TYPES},
        ("url",),
        additionalProperties=False,
        example={"url": "https://example.org/hook", "description": "the kitchen"},
    ),
    "WebhookChange": _object(
        {"url": _TEXT, "description": _TEXT, "types": _TYPES, "active": _FLAG}, (), additionalProperties=False
    ),
    "Webhook": _object(_WEBHOOK),
    "WebhookWithSecret": _object(
        {**_WEBHOOK, "secret": {**_TEXT, "description": "what messages are signed with; only in this answer"}}
    ),
    "Webhooks": _list("Webhook"),
    "WebhookTest": _object({"accepted": _FLAG, "status": {"type": ["integer", "null"]}, "reason": _TEXT}),
    "DeadLetters": _object(
        {
            "dead": {
                "type": "array",
                "items": _object({**_MESSAGE, "attempts": _COUNT, "reason": _TEXT, "failed": _TIME}),
            },
            "next": _MAYBE_TEXT,
        }
    ),
    "Replay": _object(
        {"messages": {"type": "array", "items": _object(_MESSAGE, additionalProperties=False), "maxItems": 1000}},
        (),
        additionalProperties=False,
        description="Which dead letters to send again; all if it is left out.",
    ),
    "Replayed": _object({"replayed": _COUNT}),
    "QuietHours": _object(
        {"from": _CLOCK, "to": _CLOCK, "zone": _ZONE},
        additionalProperties=False,
        example={"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"},
    ),
    "QuietHoursNow": _object(
        {"from": _CLOCK, "to": _CLOCK, "zone": _ZONE, "quiet_until": {**_MAYBE_TIME, "description": "null: not now"}}
    ),
    "DigestSchedule": _object(
        _WHEN, additionalProperties=False, example={"days": "weekdays", "at": "08:00", "zone": "Europe/Berlin"}
    ),
    "DigestScheduleNow": _object({**_WHEN, "next": _TIME}),
    "Held": _object(
        {
            "held": _FLAG,
            "because": {"enum": ["digest", "quiet hours", None]},
            "after": {"type": ["integer", "null"], "description": "deliveries with higher numbers are held"},
            "until": _MAYBE_TIME,
        }
    ),
    "DigestLine": _object(
        {
            "number": _COUNT,
            "due": _TIME,
            "made": _TIME,
            "published": _COUNT,
            "matched": _COUNT,
            "delivered": _COUNT,
            "left_out": _COUNT,
        }
    ),
    "DigestList": _object({"digests": _list("DigestLine"), "next": _MAYBE_TEXT}),
    "Digest": _object(
        {
            "number": _COUNT,
            "user": _TEXT,
            "due": _TIME,
            "made": _TIME,
            "schedule": {"$ref": "#/components/schemas/DigestSchedule"},
            "summary": _TEXT,
            "published": _COUNT,
            "matched": _COUNT,
            "delivered": _COUNT,
            "reconsidered": {**_COUNT, "description": "left out of an earlier digest, and sent after all"},
            "waiting": {**_COUNT, "description": "in a period that is not over"},
            "left_out": _object(
                {
                    "count": _COUNT,
                    "listed": {**_COUNT, "description": "how many can be listed: the best"},
                    "reasons": {
                        "type": "object",
                        "properties": {reason.value: {**_COUNT, "description": reason.label} for reason in Reason},
                    },
                    "best": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
                }
            ),
            "not_examined": _COUNT,
            "exact": {**_FLAG, "description": "whether retracing found just the deliveries that were made"},
            "deliveries": _object({"after": _COUNT, "through": _COUNT}),
            "items": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
            "more": {**_COUNT, "description": "deliveries beyond the items"},
        }
    ),
    "LeftOutPage": _object(
        {
            "left_out": {
                "type": "array",
                "items": _object(
                    {
                        "position": _COUNT,
                        "event": _TEXT,
                        "seq": _COUNT,
                        "rank": {"type": ["number", "null"]},
                        "reason": {"enum": [reason.value for reason in Reason]},
                        "label": _TEXT,
                        "detail": _TEXT,
                        "content": {"anyOf": [{"$ref": "#/components/schemas/Event"}, {"type": "null"}]},
                    }
                ),
            },
            "next": _MAYBE_TEXT,
        }
    ),
}
"""All schemas by name."""
