"""The JSON form of policies (SPEC 9)."""

from datetime import timedelta
from typing import Any

from rankcast.errors import ModelError, RecordError, did_you_mean
from rankcast.language.fields import Fields, cut, number_of, text_of
from rankcast.language.novelty_json import (
    decode_decay,
    decode_filter,
    decode_novelty,
    encode_decay,
    encode_filter,
    encode_novelty,
)
from rankcast.language.presets import preset_fields
from rankcast.language.times import parse_duration, parse_time, show_duration, show_time
from rankcast.model import (
    EPOCH,
    Aggregate,
    Length,
    Levels,
    Mode,
    Norm,
    Part,
    Policy,
    Select,
    Ties,
    Unit,
)

__all__ = ["decode_policy", "encode_policy"]

_WORDS = {"mode": Mode, "aggregate": Aggregate, "levels": Levels, "norm": Norm, "ties": Ties, "select": Select}
_FIELDS = (
    "kind",
    "user",
    "k",
    "length",
    "unit",
    "sigma",
    "weights",
    "attributes",
    "score",
    "authority",
    "half_life",
    "filter",
    "origin",
    "novelty",
    "decay",
    "preset",
    *_WORDS,
)


def decode_policy(obj: dict[str, Any]) -> Policy:
    """The policy that an object of kind ``policy`` describes; a ``preset`` gives the fields that it does not."""
    fields = Fields("a policy", obj, _FIELDS)
    if "preset" in fields:
        own = {name: value for name, value in obj.items() if value is not None and name != "preset"}
        fields = Fields("a policy", {**preset_fields(fields.text("preset")), **own}, _FIELDS)
    given: dict[str, Any] = {name: fields.choice(name, words) for name, words in _WORDS.items() if name in fields}
    if "k" in fields:
        given["k"] = fields.whole("k")
    if "sigma" in fields:
        given["sigma"] = fields.number("sigma")
    if "length" in fields or "unit" in fields:
        given["length"] = _length(fields)
    for name in ("weights", "authority"):
        if name in fields:
            given[name] = {
                text_of(key, f"a name in {name!r}"): float(number_of(value, f"the value of {cut(key)} in {name!r}"))
                for key, value in fields.object(name).items()
            }
    if "attributes" in fields:
        given["attributes"] = _names(fields, "attributes")
    if "score" in fields:
        given["score"] = _score(fields)
    if "half_life" in fields:
        given["half_life"] = _duration("half_life", fields.text("half_life"))
    if "filter" in fields:
        given["filter"] = decode_filter(fields.object("filter"))
    if "novelty" in fields:
        given["novelty"] = decode_novelty(fields.object("novelty"))
    if "decay" in fields:
        given["decay"] = decode_decay(fields.object("decay"))
    if "origin" in fields:
        given["origin"] = _origin(fields)
    return Policy(fields.text("user"), **given)


def encode_policy(policy: Policy) -> dict[str, Any]:
    """The policy as an object, defaults left out."""
    default = Policy(policy.user)
    form: dict[str, Any] = {"kind": "policy", "user": policy.user}
    for name in _WORDS:
        if getattr(policy, name) is not getattr(default, name):
            form[name] = getattr(policy, name).value
    if policy.k is not None:
        form["k"] = policy.k
    match policy.length:
        case Length(amount, Unit.TIME):
            form["length"] = show_duration(amount)  # type: ignore[arg-type]  # the model keeps amount and unit in step
        case Length(amount, unit):
            form["length"] = amount
            if unit is not Unit.EVENTS:
                form["unit"] = unit.value
    if policy.sigma != default.sigma:
        form["sigma"] = policy.sigma
    if policy.weights:
        form["weights"] = dict(policy.weights)
    if policy.attributes is not None:
        form["attributes"] = list(policy.attributes)
    if policy.score != default.score:
        form["score"] = {part.value: weight for part, weight in policy.score.items()}
    if policy.authority:
        form["authority"] = dict(policy.authority)
    if policy.half_life != default.half_life:
        form["half_life"] = show_duration(policy.half_life)
    if policy.filter is not None:
        form["filter"] = encode_filter(policy.filter)
    if policy.novelty != default.novelty:
        form["novelty"] = encode_novelty(policy.novelty)
    if policy.decay != default.decay:
        form["decay"] = encode_decay(policy.decay)
    if policy.origin != EPOCH:
        form["origin"] = show_time(policy.origin)
    return form


def _duration(name: str, text: str) -> timedelta:
    try:
        return parse_duration(text)
    except ModelError as error:
        raise RecordError(f"field {name!r} of a policy: {error}") from None


def _length(fields: Fields) -> Length:
    if "length" not in fields:
        raise RecordError("a policy with the field 'unit' needs the field 'length' too")
    amount = fields.value("length")
    unit = fields.choice("unit", Unit, None)
    if isinstance(amount, str):
        if unit not in (None, Unit.TIME):
            raise RecordError(f"the length {cut(amount)} is a time; with unit {unit.value!r} write a whole number")
        return Length(_duration("length", amount), Unit.TIME)
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise fields.wrong("length", 'a whole number of events or a time like "30m"')
    if unit is Unit.TIME:
        raise RecordError(
            f'the length {amount} has no unit of time; write it like "{min(abs(amount), 10**6)}m" or "30m"'
        )
    return Length(fields.whole("length"), unit or Unit.EVENTS)


def _names(fields: Fields, name: str) -> tuple[str, ...]:
    value = fields.value(name)
    if not isinstance(value, list):
        raise fields.wrong(name, "a list of strings")
    return tuple(text_of(item, f"each of {name!r} of {fields.what}") for item in value)


def _score(fields: Fields) -> dict[Part, float]:
    known = [part.value for part in Part]
    score: dict[Part, float] = {}
    for name, weight in fields.object("score").items():
        if name not in known:
            raise RecordError(f"'score' has no part {cut(name)}; it has {', '.join(known)}{did_you_mean(name, known)}")
        score[Part(name)] = float(number_of(weight, f"the weight of {name!r} in 'score'"))
    return score


def _origin(fields: Fields) -> Any:
    try:
        return parse_time(fields.text("origin"))
    except ModelError as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"field 'origin' of a policy: {error}") from None
