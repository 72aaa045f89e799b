"""OpenAPI schemas of the JSON that the API accepts and returns."""

from enum import Enum

from rankcast.engine.explain import Reason
from rankcast.language import PRESETS
from rankcast.language.columns import ColumnKind, columns_of
from rankcast.model import MAX_ATTRIBUTES, Advertisement, Concept, Delivery, Event, Policy, Preference, Subscription
from rankcast.model.declared import NAME
from rankcast.model.membership import MAX_DEGREES, MAX_POINTS, NUMBER
from rankcast.plain import JsonObject
from rankcast.service.access import Role
from rankcast.service.api import field_schemas as form
from rankcast.store.audit_log import AuditAction

_NAME = form.schema_of(NAME)
_NUMBERS = form.array_of(form.schema_of(NUMBER))


def _columns(of: type) -> JsonObject:
    forms = {
        ColumnKind.TEXT: _NAME,
        ColumnKind.WHOLE: form.COUNT,
        ColumnKind.REAL: {"type": "number"},
        ColumnKind.TEXTS: form.array_of(_NAME),
        ColumnKind.INSTANT: form.INSTANT,
    }
    return {column.name: forms[column.kind] for column in columns_of(of) if not column.by_clock}


def _words(of: type[Enum]) -> JsonObject:
    return {"enum": [word.value for word in of]}


_FORMS = {
    "trapezoid": {**_NUMBERS, "minItems": 4, "maxItems": 4},
    "triangle": {**_NUMBERS, "minItems": 3, "maxItems": 3},
    "between": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "left_shoulder": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "right_shoulder": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "gaussian": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "piecewise": {"type": "array", "items": {**_NUMBERS, "minItems": 2, "maxItems": 2}, "maxItems": MAX_POINTS},
    "table": {
        "type": "object",
        "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
        "maxProperties": MAX_DEGREES,
    },
}

_DECIDED = {
    "window": {**form.COUNT, "description": "number of the period, or position of the event that moved the window"},
    "forwarded": form.INSTANT,
    "candidates": {**form.COUNT, "description": "how many events there were to choose from"},
    "chosen": form.FLAG,
    "note": {**form.TEXT, "description": "what a filter says; empty without one"},
    "cause": {
        "anyOf": [form.object_of({"reason": _words(Reason), "detail": form.TEXT}), {"type": "null"}],
        "description": "why it was not chosen; null if it was",
    },
    "others": {
        **form.array_of(form.object_of({"event": _NAME, "rank": {"type": "number"}, "distance": {"type": "number"}})),
        "description": "the events chosen in the same decision",
    },
}
_OF_SUBSCRIPTION = {
    "id": _NAME,
    "where": form.TEXT,
    "score": {"type": "number"},
    "matches": form.FLAG,
    "degree": {"type": "number"},
    "most_specific": form.FLAG,
    "why": form.array_of(form.TEXT),
}
_EXPLANATION = {
    "user": _NAME,
    "event": _NAME,
    "sent": form.FLAG,
    "verdict": {**form.TEXT, "description": "sent or not, and the reason, in one sentence"},
    "remark": {**form.TEXT, "description": "what limits the explanation; empty if it is exact"},
    "rank": {"type": ["number", "null"], "description": "null if nothing matches"},
    "parts": {**form.TEXT, "description": "what a combined rank is made of; empty without one"},
    "subscriptions": form.array_of(form.object_of(_OF_SUBSCRIPTION)),
    "decisions": {**form.COUNT, "description": "how many decisions it was a candidate in"},
    "decision": {
        "anyOf": [form.object_of(_DECIDED), {"type": "null"}],
        "description": "the one that sent it, or else the last one",
    },
    "lines": {**form.array_of(form.TEXT), "description": "the explanation as lines for people"},
}

SCHEMAS: JsonObject = {
    "Problem": form.object_of(
        {
            "type": {**form.TEXT, "description": "names the sort of problem"},
            "title": form.TEXT,
            "status": {"type": "integer"},
            "detail": {**form.TEXT, "description": "what is wrong, for people"},
            "pointer": {**form.TEXT, "description": "the field of the body, as a JSON pointer"},
            "position": {**form.COUNT, "description": "of a bad expression: the character, from 0"},
            "found": {**form.TEXT, "description": "what stands there"},
            "expected": {**form.TEXT, "description": "what would be right there"},
            "hint": form.TEXT,
            "line": {**form.TEXT, "description": "the text around the character"},
            "caret": {**form.TEXT, "description": "to be printed below the line: points at the character"},
        },
        ("type", "title", "status", "detail"),
        example={
            "type": "urn:rankcast:problem:expression",
            "title": "Unprocessable Content",
            "status": 422,
            "detail": "found 'drama' after '=', where a value should be, like 'text' or 5; strings need single quotes: "
            "'drama' (at character 9)",
            "pointer": "/where",
            "position": 8,
            "found": "'drama'",
            "expected": "a value, like 'text' or 5",
            "hint": "strings need single quotes: 'drama'",
            "line": "genre = drama",
            "caret": "        ^",
        },
    ),
    "Subscription": form.object_of(
        {
            "kind": {"const": "subscription"},
            "where": {"type": ["string", "object"], "description": "an expression, as text or in its JSON form"},
            **form.properties_of(Subscription),
            "label": {**form.TEXT, "description": "the expression for people", "readOnly": True},
        },
        ("where",),
        example={"where": "genre = 'drama' and year >= 2003", "score": 0.8},
    ),
    "Preference": form.object_of(
        {"kind": {"const": "preference"}, **form.properties_of(Preference)},
        ("prefer", "over"),
        example={"prefer": "s1", "over": "s2"},
    ),
    "Preferences": form.object_of(
        {"preferences": form.array_of(form.reference("Preference")), "levels": form.OPEN}, ("preferences",)
    ),
    "Policy": form.object_of(
        {"kind": {"const": "policy"}, **form.properties_of(Policy), "preset": {"enum": sorted(PRESETS)}},
        (),
        example={"mode": "sliding", "k": 3, "length": 200, "sigma": 0.5},
    ),
    "Concept": form.object_of(
        {"kind": {"const": "concept"}, **form.properties_of(Concept), **_FORMS},
        (),
        description="A vague word on an attribute; one of the forms says what it means.",
        example={"trapezoid": [0, 0, 500, 900]},
    ),
    "Advertisement": form.object_of(
        {
            "kind": {"const": "advertisement"},
            "where": {"type": ["string", "object"]},
            **form.properties_of(Advertisement),
        },
        ("where", "k"),
        example={"where": "price <= 100", "k": 10, "rank": "fair"},
    ),
    "Event": form.object_of(
        {
            **form.properties_of(Event),
            "id": {**_NAME, "description": "made if left out"},
            "time": {**form.TEXT, "description": "the present if left out"},
            "attributes": {**form.OPEN, "maxProperties": MAX_ATTRIBUTES},
        },
        ("attributes",),
        example={"id": "e1", "attributes": {"title": "Big Fish", "genre": ["drama", "comedy"], "year": 2003}},
    ),
    "Published": form.object_of(
        {"id": _NAME, "offset": form.COUNT, "duplicate": form.FLAG},
        example={"id": "e1", "offset": 1, "duplicate": False},
    ),
    "BulkPublished": form.object_of(
        {
            "published": form.array_of(form.reference("Published")),
            "rejected": form.array_of(form.object_of({"index": form.COUNT, "detail": form.TEXT})),
        },
        example={
            "published": [{"id": "e1", "offset": 1, "duplicate": False}],
            "rejected": [{"index": 1, "detail": "an event needs the field 'attributes'"}],
        },
    ),
    "Delivery": form.object_of(
        {
            "number": {**form.COUNT, "description": "its place in the log: the id of its server-sent event"},
            **_columns(Delivery),
            "content": form.reference("Event"),
        },
        ("number", *_columns(Delivery)),
        example={
            "number": 7,
            "user": "addison",
            "event": "e4",
            "seq": 4,
            "rank": 0.9,
            "subscriptions": ["s1"],
            "published": "2004-02-13T20:05:00Z",
            "forwarded": "2004-02-13T20:05:00Z",
            "window": 4,
        },
    ),
    "Deliveries": form.object_of(
        {
            "deliveries": form.array_of(form.reference("Delivery")),
            "next": {**form.MAYBE_TEXT, "description": "the next page's cursor"},
        }
    ),
    "Trial": form.object_of(
        {
            "count": form.COUNT,
            "of": form.COUNT,
            "matched": form.array_of(form.reference("Event")),
            "label": form.TEXT,
            "by_thresholds": {
                **form.OPEN,
                "description": "if something is vague: the count crisply, and by each attitude",
            },
        },
        ("count", "of", "matched"),
        example={"count": 12, "of": 1000, "matched": [], "label": "genre is drama"},
    ),
    "TrialOfExpression": form.object_of(
        {"where": {"type": ["string", "object"]}, "limit": {"type": "integer", "minimum": 1}, "show": form.COUNT},
        ("where",),
        example={"where": "genre = 'drama'", "limit": 1000, "show": 5},
    ),
    "TrialOfPolicy": form.object_of(
        {"policy": form.reference("Policy"), "limit": {"type": "integer", "minimum": 1}},
        ("policy",),
        example={"policy": {"mode": "sliding", "k": 2, "length": 50}, "limit": 1000},
    ),
    "Backtest": form.object_of({"of": form.COUNT, "deliveries": form.array_of(form.OPEN)}),
    "Explanation": form.object_of(_EXPLANATION),
    "EventOrEvents": {"oneOf": [form.reference("Event"), form.array_of(form.reference("Event"))]},
    "Events": form.object_of({"events": form.array_of(form.reference("Event")), "next": form.MAYBE_TEXT}),
    "UserSummary": form.object_of(
        {"user": _NAME, "subscriptions": form.COUNT, "preferences": form.COUNT, "policy": form.reference("Policy")}
    ),
    "Token": form.object_of(
        {
            "id": _NAME,
            "role": _words(Role),
            "name": form.MAYBE_TEXT,
            "note": form.TEXT,
            "created": form.INSTANT,
            "expires": {**form.MAYBE_TIME, "description": "refused from then on"},
            "revoked": form.MAYBE_TEXT,
            "token": {**form.TEXT, "description": "only in the answer that made it"},
        },
        ("id", "role", "name", "note", "created", "expires", "revoked"),
    ),
    "NewToken": form.object_of(
        {
            "role": _words(Role),
            "name": _NAME,
            "note": form.TEXT,
            "expires": {
                **form.TEXT,
                "description": "after how long it is refused, a duration such as 90d; never if left out",
            },
        },
        ("role",),
        example={"role": "user", "name": "addison", "note": "her phone", "expires": "90d"},
    ),
    "AuditEntry": form.object_of(
        {
            "number": form.COUNT,
            "when": form.INSTANT,
            "who": {**form.TEXT, "description": "an administrator by the id of the token, a user, or the operator"},
            "action": {"enum": [action.value for action in AuditAction]},
            "user": {**form.MAYBE_TEXT, "description": "whose it was; null if it concerns all"},
            "detail": {**form.TEXT, "description": "for people"},
        },
        example={
            "number": 12,
            "when": "2026-05-04T12:30:00Z",
            "who": "administrator 1f2e3d4c5b6a",
            "action": "records.change",
            "user": "addison",
            "detail": "put policy addison",
        },
    ),
    "AuditPage": form.object_of({"entries": form.array_of(form.reference("AuditEntry")), "next": form.MAYBE_TEXT}),
    "SetAside": form.object_of(
        {
            "number": form.COUNT,
            "user": {**form.MAYBE_TEXT, "description": "null if the event failed for everybody"},
            "event": {**form.MAYBE_TEXT, "description": "null if the user is not served at all from seq on"},
            "seq": form.COUNT,
            "version": {**form.COUNT, "description": "of the catalog"},
            "error": form.TEXT,
            "when": form.INSTANT,
            "served": {**form.MAYBE_TEXT, "description": "when it was served again"},
        }
    ),
    "SetAsidePage": form.object_of({"set_aside": form.array_of(form.reference("SetAside")), "next": form.MAYBE_TEXT}),
    "ServeAgain": form.object_of({"user": {**_NAME, "description": "of whom; left out: of all"}}, (), example={}),
    "ServedAgain": form.object_of(
        {
            "done": {**form.COUNT, "description": "rows that are done with"},
            "failed": {**form.COUNT, "description": "rows that failed once more"},
            "delivered": {**form.COUNT, "description": "new deliveries"},
            "goes_on": {
                "type": "boolean",
                "description": "whether users who are set aside as a whole are served again from now on; false while a "
                "pipeline runs",
            },
        }
    ),
    "MiningRun": form.object_of(
        {
            "run": form.COUNT,
            "when": form.INSTANT,
            "attribute": _NAME,
            "before": {
                **form.array_of(form.or_null(form.reference("Concept"))),
                "description": "the concepts that were replaced; null for a new one",
            },
            "after": form.array_of(form.reference("Concept")),
            "shift": {"type": "number", "description": "by how much degrees changed, averaged over the data"},
            "counted": {**form.COUNT, "description": "how many values it was mined from"},
            "tried": {**form.COUNT, "description": "on how many events the effects were tried"},
            "effects": {
                **form.array_of(
                    form.object_of({"user": _NAME, "subscription": _NAME, "before": form.COUNT, "after": form.COUNT})
                ),
                "description": "the subscriptions that matched more or fewer of these events",
            },
            "not_tried": {"type": ["integer", "null"], "description": "subscriptions that were not tried"},
            "undone": {**form.MAYBE_TEXT, "description": "when it was undone"},
        },
        ("run", "when", "attribute", "before", "after", "effects", "undone"),
    ),
    "MiningRuns": form.object_of({"runs": form.array_of(form.reference("MiningRun"))}),
    "Mining": form.object_of(
        {
            "attributes": {**form.array_of(_NAME), "description": "mined on a schedule"},
            "every": {**form.MAYBE_TEXT, "description": "a duration such as 1h; null without a schedule"},
            "states": {**form.OPEN, "description": "the last outcome for each attribute since the service started"},
            "runs": form.array_of(form.reference("MiningRun")),
        }
    ),
    "MiningRequest": form.object_of({"attribute": _NAME}, example={"attribute": "price"}),
    "MiningOutcome": form.object_of(
        {
            "run": form.or_null(form.reference("MiningRun")),
            "reason": {**form.TEXT, "description": "why nothing changed; empty if something did"},
        }
    ),
    "Groups": form.object_of(
        {
            "groups": form.array_of(
                form.object_of(
                    {
                        "similarity": {"type": "number"},
                        "groups": form.COUNT,
                        "users": form.COUNT,
                        "decisions": {**form.OPEN, "description": "filter decisions, alone and shared"},
                        "messages": {**form.OPEN, "description": "events that leave a filter, alone and shared"},
                        "deliveries": form.OPEN,
                        "entropy": {**form.OPEN, "description": "mean output entropy of the users in bits"},
                        "members": {**form.OPEN, "description": "the users of each group"},
                        "not_tried": {**form.COUNT, "description": "further groups"},
                    },
                    ("similarity", "groups", "users", "decisions", "messages", "deliveries", "entropy", "members"),
                )
            )
        }
    ),
    "Interval": form.object_of(
        {
            "of": {**form.COUNT, "description": "how many subscriptions use the attribute"},
            "left_out": {**form.COUNT, "description": "how many of these were not tried"},
            "widths": form.array_of({"type": "number"}),
            "counts": {**form.OPEN, "description": "for each case, how many match at each width"},
            "matches": form.array_of(
                form.object_of(
                    {
                        "subscription": form.reference("Subscription"),
                        "crisp": form.FLAG,
                        "degrees": {**form.OPEN, "description": "for each case, possibility and necessity"},
                    }
                )
            ),
        }
    ),
    "VagueMatches": form.object_of(
        {
            "seconds": {**form.COUNT, "description": "the usual time between two samples"},
            "samples": form.array_of(
                form.object_of(
                    {
                        "time": form.INSTANT,
                        **dict.fromkeys(("events", "subscriptions", "vague", "at_thresholds", "at_core"), form.COUNT),
                    },
                    ("time", "events", "subscriptions", "vague", "at_thresholds", "at_core"),
                )
            ),
        }
    ),
    "Team": form.object_of(
        {
            "of": {**form.COUNT, "description": "how many events were served"},
            "matched": form.COUNT,
            "rounds": form.COUNT,
            "teams": form.array_of(
                form.object_of(
                    {
                        "nodes": form.COUNT,
                        "delivered": form.COUNT,
                        "share": {"type": "number", "description": "delivered events among those that match"},
                        "entropy": {"type": "number", "description": "output entropy in bits"},
                        "bytes": {"type": "number", "description": "sent per node and round, both ways"},
                    }
                )
            ),
            "deliveries": form.array_of(
                form.object_of({"event": _NAME, "subscriptions": form.array_of(_NAME), "round": form.COUNT})
            ),
        }
    ),
    "EndedSessions": form.object_of({"ended": form.COUNT}),
    "Anything": form.OPEN,
    "Names": form.array_of(form.TEXT),
    "Subscriptions": form.array_of(form.reference("Subscription")),
    "Concepts": form.array_of(form.reference("Concept")),
    "Advertisements": form.array_of(form.reference("Advertisement")),
    "Tokens": form.array_of(form.reference("Token")),
}
"""All schemas by name, for `components.schemas`."""


def says(name: str | None, description: str, status: int = 200) -> dict[int | str, JsonObject]:
    """The `responses` of a route that returns this schema."""
    content = {} if name is None else {"content": {"application/json": {"schema": form.reference(name)}}}
    return {status: {"description": description, **content}}


def body(name: str, *also: str) -> JsonObject:
    """The `openapi_extra` of a route that takes this schema. `also` lists further content types."""
    content = {"application/json": {"schema": form.reference(name)}}
    return {"requestBody": {"required": True, "content": content | {kind: {"schema": form.TEXT} for kind in also}}}


PROBLEMS: dict[int | str, JsonObject] = {
    status: {"description": description, "content": {"application/problem+json": {"schema": form.reference("Problem")}}}
    for status, description in (
        (401, "The token is missing, unknown, revoked or expired"),
        (403, "The token does not permit this"),
        (404, "Not found"),
        (409, "In conflict with the present data"),
        (412, "Changed in the meantime (If-Match, If-None-Match)"),
        (413, "Too large"),
        (415, "The content type is not supported"),
        (422, "The request is not valid"),
        (429, "Above a rate limit"),
        (503, "The store is not available at the moment"),
    )
}
"""The error responses that every route may return."""
