"""The JSON form of catalog records (semantics: Files)."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import TypeAlias

from rankcast import model
from rankcast.errors import ExpressionError, ModelError, RecordError, did_you_mean
from rankcast.language.declared_json import decode_fields, encode_fields, json_fields
from rankcast.language.expression_json import expression_of_json
from rankcast.language.fields import Fields, cut, what_is
from rankcast.language.json_text import dumps, read_object
from rankcast.language.membership_json import FORMS, membership_of_json, membership_to_json
from rankcast.language.parsing import parse
from rankcast.language.presets import preset_fields
from rankcast.language.printing import show
from rankcast.model.declared import check_name
from rankcast.plain import JsonObject

_KNOWN = ("kind", "preset", *json_fields(model.Policy))


def decode_policy(obj: JsonObject) -> model.Policy:
    """The policy in a JSON object of kind ``policy``.

    A ``preset`` supplies the fields that the object does not have.
    """
    fields = Fields("a policy", obj, _KNOWN)
    if "preset" in fields:
        own = {name: value for name, value in obj.items() if value is not None and name != "preset"}
        fields = Fields("a policy", {**preset_fields(fields.text("preset")), **own}, _KNOWN)
    return model.Policy(**decode_fields(model.Policy, fields))


def encode_policy(policy: model.Policy) -> JsonObject:
    """The policy as a JSON object, without defaults."""
    return {"kind": "policy", **encode_fields(policy)}


_KINDS = ("subscription", "preference", "policy", "concept", "advertisement")


def decode_record(raw: str | bytes | JsonObject, parse: Callable[[str], model.Expression] = parse) -> model.Record:
    """The record that a JSON object describes; its field ``"kind"`` says which.

    Raises `RecordError`, or `ExpressionError` for an error in the text of ``"where"``. `parse` reads this text; see
    `RecordTexts`.

    >>> decode_record('{"kind": "preference", "user": "addison", "prefer": "s1", "over": "s2"}')
    Preference(user='addison', prefer='s1', over='s2')
    """
    obj = read_object(raw)
    kind = obj.get("kind")
    if kind not in _KINDS:
        raise _wrong_kind(obj)
    try:
        match kind:
            case "subscription":
                return _subscription(obj, parse)
            case "preference":
                fields = Fields("a preference", obj, ("kind", *json_fields(model.Preference)))
                return model.Preference(**decode_fields(model.Preference, fields))
            case "policy":
                return decode_policy(obj)
            case "concept":
                return _concept(obj)
        return _advertisement(obj, parse)
    except (RecordError, ExpressionError):
        raise
    except ModelError as error:
        raise RecordError(str(error)) from None


def encode_record(record: model.Record, show: Callable[[model.Expression], str] = show) -> JsonObject:
    """The record as a JSON object, without defaults: ``decode_record(encode_record(r)) == r``.

    `show` writes expressions; see `RecordTexts`.

    >>> encode_record(model.Preference("addison", "s1", "s2"))
    {'kind': 'preference', 'user': 'addison', 'prefer': 's1', 'over': 's2'}
    """
    form: JsonObject
    match record:
        case model.Subscription():
            form = {"kind": "subscription", "id": record.id, "user": record.user, "where": show(record.where)}
            if record.score is not None:
                form["score"] = record.score
            if record.weight != 1:
                form["weight"] = record.weight
        case model.Preference():
            form = {"kind": "preference", **encode_fields(record)}
        case model.Policy():
            form = encode_policy(record)
        case model.Concept():
            form = {"kind": "concept", "name": record.name, "attribute": record.attribute}
            if record.user is not None:
                form["user"] = record.user
            form |= membership_to_json(record.membership)
        case model.Advertisement():
            form = {"kind": "advertisement", "id": record.id, "publisher": record.publisher}
            form |= {"where": show(record.where), **encode_fields(record)}
    return form


_PolicyFields: TypeAlias = "list[tuple[Callable[[model.Policy, object], None], object]]"
"""The fields of a policy except its user, each with what sets it."""

_PUT: dict[str, Callable[[model.Policy, object], None]] = {
    one.name: getattr(model.Policy, one.name).__set__ for one in fields(model.Policy)
}
_PUT_USER = _PUT.pop("user")
_PLAIN_POLICY = re.compile(r'\{"kind":"policy","user":"([^"\\\x00-\x1f]+)"')


def _with_user(known: _PolicyFields, user: object) -> model.Policy:
    """The policy of another user with the same fields. Only the user is checked. `copy` would take four times as long."""
    check_name("user", user)
    made = object.__new__(model.Policy)
    for put, value in known:
        put(made, value)
    _PUT_USER(made, user)
    return made


class RecordTexts:
    """Reads and writes many records; each distinct expression is parsed once and shown once.

    Equal texts become one shared expression, which also saves memory. Policies that differ in their user alone are read
    once, too.
    """

    def __init__(self) -> None:
        self._parsed: dict[str, model.Expression] = {}
        self._policies: dict[str, _PolicyFields] = {}
        """The fields of a policy for each form without its user."""
        self._rests: dict[str, _PolicyFields] = {}
        """The same for what follows the user in a text that `dumps` wrote."""
        self._shown: dict[int, tuple[model.Expression, str]] = {}
        """By the identity of an expression, which stays the same because the expression is kept."""

    def decode(self, raw: str | bytes | JsonObject) -> model.Record:
        """Decode a record (`decode_record`)."""
        plain = _PLAIN_POLICY.match(raw) if isinstance(raw, str) else None
        rest = "" if plain is None else plain.string[plain.end() :]
        if plain is not None and rest in self._rests:
            with suppress(ModelError):  # `decode_record` says more
                return _with_user(self._rests[rest], plain[1])
        obj = read_object(raw)
        if obj.get("kind") != "policy":
            return decode_record(obj, self._parse)
        decoded, fields = self._policy(obj)
        if plain is not None and decoded.user == plain[1] and '"user"' not in rest:
            self._rests[rest] = fields
        return decoded

    def encode(self, record: model.Record) -> JsonObject:
        """Encode a record (`encode_record`). Raises like `decode` if it could not be decoded again.

        >>> texts = RecordTexts()
        >>> texts.encode(texts.decode('{"kind": "subscription", "id": "s", "user": "ann", "where": "year>1999"}'))
        {'kind': 'subscription', 'id': 's', 'user': 'ann', 'where': 'year > 1999'}
        """
        form = encode_record(record, self._show)
        if not isinstance(
            record, model.Subscription
        ):  # its fields were checked when it was made, as those of a text are
            self.decode(form)
        return form

    def _policy(self, obj: JsonObject) -> tuple[model.Policy, "_PolicyFields"]:
        form = dumps({**obj, "user": None})
        known = self._policies.get(form)
        with suppress(ModelError):
            if known is not None:
                return _with_user(known, obj.get("user")), known
        decoded = decode_record(obj)
        assert isinstance(decoded, model.Policy)
        known = self._policies[form] = [(put, getattr(decoded, name)) for name, put in _PUT.items()]
        return decoded, known

    def _parse(self, text: str) -> model.Expression:
        known = self._parsed.get(text)
        if known is None:
            known = self._parsed[text] = parse(text)
        return known

    def _show(self, where: model.Expression) -> str:
        known = self._shown.get(id(where))
        if known is None:
            known = self._shown[id(where)] = where, show(where)
            self._parse(known[1])  # an expression may exceed the limits of the language
        return known[1]


def _subscription(obj: JsonObject, parse: Callable[[str], model.Expression]) -> model.Subscription:
    fields = Fields("a subscription", obj, ("kind", "id", "user", "where", "score", "weight"))
    return model.Subscription(
        id=fields.text("id"),
        user=fields.text("user"),
        where=_where(fields, parse),
        score=fields.number("score", None),
        weight=fields.number("weight", 1.0),
    )


def _advertisement(obj: JsonObject, parse: Callable[[str], model.Expression]) -> model.Advertisement:
    fields = Fields("an advertisement", obj, ("kind", "where", *json_fields(model.Advertisement)))
    return model.Advertisement(where=_where(fields, parse), **decode_fields(model.Advertisement, fields))


def _concept(obj: JsonObject) -> model.Concept:
    fields = Fields("a concept", obj, ("kind", "name", "attribute", "user", *FORMS))
    forms = [form for form in FORMS if form in fields]
    if len(forms) != 1:
        found = " and ".join(map(repr, forms)) or "none"
        raise RecordError(f"a concept needs one of the forms {', '.join(FORMS)}; found {found}")
    name = fields.text("name")
    membership = membership_of_json(forms[0], fields.value(forms[0]), f"concept {cut(name)}")
    return model.Concept(name, fields.text("attribute"), membership, fields.text("user", None))


def _where(fields: Fields, parse: Callable[[str], model.Expression]) -> model.Expression:
    where = fields.value("where")
    match where:
        case str():
            return parse(where)
        case dict():
            return expression_of_json(where, "where")
    raise fields.wrong("where", "an expression in a string, or in its JSON form")


def _wrong_kind(obj: JsonObject) -> RecordError:
    kind = obj.get("kind")
    known = ", ".join(_KINDS)
    if kind is None:
        return RecordError(f"a record needs the field 'kind': {known}")
    if not isinstance(kind, str):
        return RecordError(f"field 'kind' must be one of {known}, not {what_is(kind)}")
    return RecordError(f"unknown kind {cut(kind)}; it is one of {known}{did_you_mean(kind, _KINDS)}")
