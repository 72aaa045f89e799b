"""The JSON form of expressions, for programs that build them.

::

    {"and": [x, …]}   {"or": [x, …]}   {"not": x}   {"always": true}
    {"attribute": "genre", "=": "drama"}             any operator of the text form
    {"attribute": "genre", "in": ["drama", "short"]} {"attribute": "year", "between": [1999, 2004]}
    {"attribute": "mpaa", "exists": true}            {"attribute": "price", "is": "very cheap"}

A predicate may have ``"thresholds": [possibility, necessity]``; a time is written ``{"time": "2004-02-13"}``.
"""

from datetime import datetime
from typing import assert_never

from rankcast import model
from rankcast.errors import ExpressionError, LimitError, ModelError, RecordError, did_you_mean
from rankcast.language.fields import cut, number_of, text_of, what_is
from rankcast.language.limits import MAX_DEPTH, check_limits, too_deep
from rankcast.language.parsing import parse_term
from rankcast.language.printing import show_term
from rankcast.language.times import parse_time, show_time
from rankcast.plain import JsonObject

_OPS = {op.value: op for op in model.Op}
_SPECIAL = {op.value: op for op in model.SpecialOp}
_TESTS = (*_OPS, *_SPECIAL)
_JOINERS = ("and", "or", "not", "always")


def expression_to_json(expression: model.Expression) -> JsonObject:
    """The JSON form of an expression.

    >>> from rankcast.language import parse
    >>> expression_to_json(parse("not genre = 'drama'"))
    {'not': {'attribute': 'genre', '=': 'drama'}}
    """
    check_limits(expression)
    return _to_json(expression)


def _to_json(expression: model.Expression) -> JsonObject:
    match expression:
        case model.Always():
            return {"always": True}
        case model.And(parts):
            return {"and": [_to_json(part) for part in parts]}
        case model.Or(parts):
            return {"or": [_to_json(part) for part in parts]}
        case model.Not(part):
            return {"not": _to_json(part)}
    form: JsonObject = {"attribute": expression.attribute}
    match expression.test:
        case model.Compare(op, value):
            form[op.value] = _value_to_json(value)
        case model.OneOf(values):
            form["in"] = [_value_to_json(value) for value in values]
        case model.Between(low, high):
            form["between"] = [_value_to_json(low), _value_to_json(high)]
        case model.Exists():
            form["exists"] = True
        case model.Is(term):
            form["is"] = show_term(term)
        case other:
            assert_never(other)
    if expression.thresholds is not None:
        form["thresholds"] = [expression.thresholds.possibility, expression.thresholds.necessity]
    return form


def _value_to_json(value: model.Scalar) -> object:
    return {"time": show_time(value)} if isinstance(value, datetime) else value


def expression_of_json(obj: object, where: str = "expression") -> model.Expression:
    """The expression that a JSON form describes, within the limits of the text form.

    Raises `RecordError` with the path to the error.

    >>> expression_of_json({"attribute": "mpaa", "exists": True})
    Predicate(attribute='mpaa', test=Exists(), thresholds=None)
    """
    try:
        expression = _of_json(obj, where, 0)
        check_limits(expression)
    except LimitError as error:
        raise RecordError(f"{where}: {error.message}") from None
    return expression


def _of_json(obj: object, path: str, depth: int) -> model.Expression:
    if depth > MAX_DEPTH:
        raise too_deep("", 0)
    if not isinstance(obj, dict):
        raise RecordError(f"{path} must be an object, not {what_is(obj)}")
    if "attribute" in obj:
        return _predicate(obj, path)
    if len(obj) != 1 or next(iter(obj)) not in _JOINERS:
        names = ", ".join(map(cut, list(obj)[:5])) or "nothing"
        near = did_you_mean(str(next(iter(obj), "")), (*_JOINERS, "attribute"))
        raise RecordError(f"{path} has {names}; it must have one of and, or, not, always, or an attribute{near}")
    ((joiner, value),) = obj.items()
    place = f"{path}.{joiner}"
    match joiner:
        case "always":
            if value is not True:
                raise RecordError(f"{place} must be true, not {what_is(value)}")
            return model.Always()
        case "not":
            return model.Not(_of_json(value, place, depth + 1))
    if not isinstance(value, list) or len(value) < 2:
        found = f"a list of {len(value)}" if isinstance(value, list) else what_is(value)
        raise RecordError(f"{place} must be a list of at least two expressions, not {found}")
    parts = tuple(_of_json(part, f"{place}[{index}]", depth + 1) for index, part in enumerate(value))
    return model.And(parts) if joiner == "and" else model.Or(parts)


def _predicate(obj: JsonObject, path: str) -> model.Predicate:
    attribute = text_of(obj["attribute"], f"{path}.attribute")
    tests = [name for name in obj if name not in ("attribute", "thresholds")]
    for name in tests:
        if name not in _TESTS:
            near = did_you_mean(str(name), _TESTS)
            raise RecordError(f"{path} has {cut(name)}, which is no operator ({', '.join(_TESTS)}){near}")
    if len(tests) != 1:
        raise RecordError(f"{path} must have one operator ({', '.join(_TESTS)}), not {len(tests)}")
    name = tests[0]
    place = f"{path}[{name!r}]"
    try:
        test = _test(name, obj[name], place)
        return model.Predicate(attribute, test, _thresholds(obj.get("thresholds"), f"{path}.thresholds"))
    except (RecordError, LimitError):
        raise
    except ExpressionError as error:
        raise RecordError(f"{place}: {error}") from None
    except ModelError as error:
        raise RecordError(f"{path}: {error}") from None


def _test(name: str, value: object, place: str) -> model.Test:
    if name in _OPS:
        return model.Compare(_OPS[name], _value(value, place))
    special = _SPECIAL[name]
    match special:
        case model.SpecialOp.IN:
            return model.OneOf(_values(value, place))
        case model.SpecialOp.BETWEEN:
            return model.Between(*_values(value, place, "two "))
        case model.SpecialOp.EXISTS:
            if value is not True:
                raise RecordError(f"{place} must be true, not {what_is(value)}")
            return model.Exists()
        case model.SpecialOp.IS:
            return model.Is(parse_term(text_of(value, place)))
        case other:
            assert_never(other)


def _values(value: object, place: str, count: str = "") -> tuple[model.Scalar, ...]:
    if not isinstance(value, list) or not value or (count and len(value) != 2):
        found = f"a list of {len(value)}" if isinstance(value, list) else what_is(value)
        raise RecordError(f"{place} must be a list of {count}values, not {found}")
    return tuple(_value(item, place) for item in value)


def _value(value: object, place: str) -> model.Scalar:
    match value:
        case str() | bool() | int() | float():
            return model.check_scalar(value)
        case {"time": time, **rest} if not rest:
            return parse_time(text_of(time, place))
    raise RecordError(f'{place} must be a string, number, boolean or {{"time": "…"}}, not {what_is(value)}')


def _thresholds(value: object, place: str) -> model.Thresholds | None:
    if value is None:
        return None
    if isinstance(value, str) and value in {one.value for one in model.Attitude}:
        return model.Attitude(value).thresholds
    if not isinstance(value, list) or len(value) != 2:
        raise RecordError(f"{place} must be a list of two numbers [possibility, necessity], not {what_is(value)}")
    return model.Thresholds(*(float(number_of(number, place)) for number in value))
