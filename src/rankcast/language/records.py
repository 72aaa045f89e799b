"""The JSON form of catalog records (semantics: Files)."""

from rankcast.errors import ExpressionError, ModelError, RecordError, did_you_mean
from rankcast.language.expression_json import expression_of_json
from rankcast.language.fields import Fields, cut, what_is
from rankcast.language.json_text import read_object
from rankcast.language.membership_json import FORMS, membership_of_json, membership_to_json
from rankcast.language.parsing import parse
from rankcast.language.policy_json import decode_policy, encode_policy
from rankcast.language.printing import show
from rankcast.model import (
    Advertisement,
    Concept,
    Expression,
    Policy,
    Preference,
    Ranking,
    Record,
    ScorerName,
    Subscription,
)
from rankcast.plain import JsonObject

__all__ = ["decode_record", "encode_record"]

_KINDS = ("subscription", "preference", "policy", "concept", "advertisement")


def decode_record(raw: str | bytes | JsonObject) -> Record:
    """The record that a JSON object describes; its field ``"kind"`` says which.

    Raises `RecordError`, or `ExpressionError` for an error in the text of ``"where"``.

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
                return _subscription(obj)
            case "preference":
                fields = Fields("a preference", obj, ("kind", "user", "prefer", "over"))
                return Preference(fields.text("user"), fields.text("prefer"), fields.text("over"))
            case "policy":
                return decode_policy(obj)
            case "concept":
                return _concept(obj)
        return _advertisement(obj)
    except (RecordError, ExpressionError):
        raise
    except ModelError as error:
        raise RecordError(str(error)) from None


def encode_record(record: Record) -> JsonObject:
    """The record as a JSON object, without defaults: ``decode_record(encode_record(r)) == r``.

    >>> encode_record(Preference("addison", "s1", "s2"))
    {'kind': 'preference', 'user': 'addison', 'prefer': 's1', 'over': 's2'}
    """
    form: JsonObject
    match record:
        case Subscription():
            form = {"kind": "subscription", "id": record.id, "user": record.user, "where": show(record.where)}
            if record.score is not None:
                form["score"] = record.score
            if record.weight != 1:
                form["weight"] = record.weight
        case Preference():
            form = {"kind": "preference", "user": record.user, "prefer": record.prefer, "over": record.over}
        case Policy():
            form = encode_policy(record)
        case Concept():
            form = {"kind": "concept", "name": record.name, "attribute": record.attribute}
            if record.user is not None:
                form["user"] = record.user
            form |= membership_to_json(record.membership)
        case Advertisement():
            form = {"kind": "advertisement", "id": record.id, "publisher": record.publisher}
            form |= {"where": show(record.where), "k": record.k}
            if record.rank is not Ranking.RELEVANCE:
                form["rank"] = record.rank.value
            if record.score is not ScorerName.AREA:
                form["score"] = record.score.value
            if record.function is not None:
                form["function"] = record.function
    return form


def _subscription(obj: JsonObject) -> Subscription:
    fields = Fields("a subscription", obj, ("kind", "id", "user", "where", "score", "weight"))
    return Subscription(
        id=fields.text("id"),
        user=fields.text("user"),
        where=_where(fields),
        score=fields.number("score", None),
        weight=fields.number("weight", 1.0),
    )


def _advertisement(obj: JsonObject) -> Advertisement:
    fields = Fields("an advertisement", obj, ("kind", "id", "publisher", "where", "k", "rank", "score", "function"))
    return Advertisement(
        id=fields.text("id"),
        publisher=fields.text("publisher"),
        where=_where(fields),
        k=fields.whole("k"),
        rank=fields.choice("rank", Ranking, Ranking.RELEVANCE),
        score=fields.choice("score", ScorerName, ScorerName.AREA),
        function=fields.text("function", None),
    )


def _concept(obj: JsonObject) -> Concept:
    fields = Fields("a concept", obj, ("kind", "name", "attribute", "user", *FORMS))
    forms = [form for form in FORMS if form in fields]
    if len(forms) != 1:
        found = " and ".join(map(repr, forms)) or "none"
        raise RecordError(f"a concept needs one of the forms {', '.join(FORMS)}; found {found}")
    name = fields.text("name")
    membership = membership_of_json(forms[0], fields.value(forms[0]), f"concept {cut(name)}")
    return Concept(name, fields.text("attribute"), membership, fields.text("user", None))


def _where(fields: Fields) -> Expression:
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
