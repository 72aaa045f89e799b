"""The JSON form of what a policy says about novelty: its filter, the novelty in its score, how novelty decays (SPEC 9)."""

from typing import Any

from rankcast.errors import ModelError, RecordError
from rankcast.language.fields import Fields, cut
from rankcast.language.times import parse_duration, show_duration
from rankcast.model import (
    Decay,
    Decaying,
    Filter,
    FilterKind,
    Length,
    NoveltyPart,
    Rates,
    Scoring,
    Unit,
    Update,
)

__all__ = [
    "decode_decay",
    "decode_filter",
    "decode_novelty",
    "encode_decay",
    "encode_filter",
    "encode_novelty",
]

_FILTER_WORDS = {"novelty": FilterKind, "scoring": Scoring, "update": Update, "rates": Rates}
_FILTER_NUMBERS = ("period", "aging", "seed", "minimum")
_SPANS = ("period", "window")


def decode_filter(obj: dict[str, Any]) -> Filter:
    """The filter that the field ``filter`` of a policy describes."""
    fields = Fields("a filter", obj, (*_FILTER_WORDS, *_FILTER_NUMBERS, "rate"))
    kind = fields.choice("novelty", FilterKind)
    given: dict[str, Any] = {
        name: fields.choice(name, words)
        for name, words in _FILTER_WORDS.items()
        if name in fields and name != "novelty"
    }
    for name in ("period", "seed"):
        if name in fields:
            given[name] = fields.whole(name)
    for name in ("aging", "minimum"):
        if name in fields:
            given[name] = fields.number(name)
    if kind is FilterKind.MINIMUM:
        fields.number("minimum")
        return Filter(kind, fields.number("rate", 1.0), **given)
    return Filter(kind, fields.number("rate"), **given)


def encode_filter(settings: Filter) -> dict[str, Any]:
    """The filter as an object, defaults left out."""
    default = Filter(settings.novelty, settings.rate)
    form: dict[str, Any] = {"novelty": settings.novelty.value}
    if settings.novelty is not FilterKind.MINIMUM or settings.rate != 1:
        form["rate"] = settings.rate
    for name in ("scoring", "update", "rates"):
        if getattr(settings, name) is not getattr(default, name):
            form[name] = getattr(settings, name).value
    for name in _FILTER_NUMBERS:
        if getattr(settings, name) != getattr(default, name):
            form[name] = getattr(settings, name)
    if settings.novelty is FilterKind.MINIMUM:
        form["minimum"] = settings.minimum
    return form


def decode_novelty(obj: dict[str, Any]) -> NoveltyPart:
    """The novelty in a score: ``{"scoring": "interval", "aging": 0.5}``."""
    fields = Fields("the novelty of a policy", obj, ("scoring", "aging"))
    default = NoveltyPart()
    return NoveltyPart(fields.choice("scoring", Scoring, default.scoring), fields.number("aging", default.aging))


def encode_novelty(novelty: NoveltyPart) -> dict[str, Any]:
    """The novelty in a score, defaults left out."""
    default = NoveltyPart()
    form: dict[str, Any] = {}
    if novelty.scoring is not default.scoring:
        form["scoring"] = novelty.scoring.value
    if novelty.aging != default.aging:
        form["aging"] = novelty.aging
    return form


def decode_decay(obj: dict[str, Any]) -> Decaying:
    """How novelty decays: ``{"form": "exponential", "alpha": 0.5, "period": "1d"}``."""
    fields = Fields("the decay of a policy", obj, ("form", "beta", "alpha", "unit", *_SPANS))
    given: dict[str, Any] = {name: fields.number(name) for name in ("beta", "alpha") if name in fields}
    if "form" in fields:
        given["form"] = fields.choice("form", Decay)
    for name in _SPANS:
        if name in fields:
            given[name] = _span(fields, name)
    if "unit" in fields and not any(name in fields for name in _SPANS):
        raise RecordError("a decay with the field 'unit' needs the field 'period' or 'window' too")
    return Decaying(**given)


def encode_decay(decay: Decaying) -> dict[str, Any]:
    """How novelty decays, defaults left out."""
    default = Decaying()
    form: dict[str, Any] = {}
    if decay.form is not default.form:
        form["form"] = decay.form.value
    for name in ("beta", "alpha"):
        if getattr(decay, name) != getattr(default, name):
            form[name] = getattr(decay, name)
    for name in _SPANS:
        match getattr(decay, name):
            case Length(amount, Unit.TIME):
                form[name] = show_duration(amount)  # type: ignore[arg-type]  # the model keeps amount and unit in step
            case Length(amount, unit):
                form[name] = amount
                if unit is not Unit.EVENTS:
                    form["unit"] = unit.value
    return form


def _span(fields: Fields, name: str) -> Length:
    amount = fields.value(name)
    unit = fields.choice("unit", Unit, None)
    if isinstance(amount, str):
        if unit not in (None, Unit.TIME):
            raise RecordError(f"the {name} {cut(amount)} is a time; with unit {unit.value!r} write a whole number")
        try:
            return Length(parse_duration(amount), Unit.TIME)
        except ModelError as error:
            raise RecordError(f"field {name!r} of {fields.what}: {error}") from None
    if unit is Unit.TIME:
        raise RecordError(f'field {name!r} of {fields.what} has no unit of time; write it like "30m"')
    try:
        return Length(fields.whole(name), unit or Unit.EVENTS)
    except ModelError as error:
        raise RecordError(f"field {name!r} of {fields.what}: {error}") from None
