"""The JSON form of membership functions, in concepts and in imprecise values.

See semantics: Approximate matching; semantics: Files.
"""

from collections.abc import Mapping

from rankcast import model
from rankcast.errors import ModelError, RecordError
from rankcast.language.fields import cut, number_of, text_of, what_is
from rankcast.plain import JsonObject

_NUMBERS: dict[
    str,
    type[model.Trapezoid | model.Triangle | model.Interval | model.LeftShoulder | model.RightShoulder | model.Gaussian],
] = {
    form: kind
    for kind in (
        model.Trapezoid,
        model.Triangle,
        model.Interval,
        model.LeftShoulder,
        model.RightShoulder,
        model.Gaussian,
    )
    for form in kind.forms
}

FORMS = (*_NUMBERS, "piecewise", "table")
"""The names of the forms; `interval` is a synonym of `between`, and `bell` of `gaussian`."""


def membership_of_json(form: str, value: object, where: str) -> model.Membership:
    """The function that ``{form: value}`` describes; `where` names the place in errors.

    >>> membership_of_json("trapezoid", [0, 0, 500, 900], "concept 'cheap'")
    Trapezoid(a=0, b=0, c=500, d=900)
    """
    place = f"{where}: {form!r}"
    try:
        match form:
            case "piecewise":
                return model.Piecewise(
                    tuple((number_of(x, place), number_of(y, place)) for x, y in _pairs(value, place))
                )
            case "table":
                return _table(value, place)
        kind = _NUMBERS[form]
        count = len(kind.__match_args__)
        if not isinstance(value, list | tuple) or len(value) != count:
            found = f"a list of {len(value)}" if isinstance(value, list | tuple) else what_is(value)
            raise RecordError(
                f"{place} must be a list of {count} numbers [{', '.join(kind.__match_args__)}], not {found}"
            )
        return kind(*(number_of(number, f"{where}: each number of {form!r}") for number in value))
    except ModelError as error:
        raise error if isinstance(error, RecordError) else RecordError(f"{where}: {error}") from None


def membership_to_json(membership: model.Membership) -> JsonObject:
    """The form and its numbers as an object with one field.

    >>> membership_to_json(model.Interval(50, 60))
    {'between': [50, 60]}
    """
    match membership:
        case model.Piecewise(corners):
            return {"piecewise": [list(corner) for corner in corners]}
        case model.Table(degrees):
            named = isinstance(degrees[0][0], str)
            return {"table": dict(degrees) if named else [list(pair) for pair in degrees]}
    return {membership.forms[0]: list(membership.numbers())}


def _table(value: object, place: str) -> model.Table:
    pairs = list(value.items()) if isinstance(value, Mapping) else _pairs(value, place)
    return model.Table(
        tuple(
            (
                text_of(key, place) if isinstance(key, str) else number_of(key, place, "a string or number"),
                number_of(degree, f"{place}: the degree of {cut(key)}"),
            )
            for key, degree in pairs
        )
    )


def _pairs(value: object, place: str) -> list[tuple[object, object]]:
    shape = "an object {value: degree} or a list of pairs" if place.endswith("'table'") else "a list of pairs"
    if not isinstance(value, list | tuple):
        raise RecordError(f"{place} must be {shape} [x, degree], not {what_is(value)}")
    for pair in value:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise RecordError(f"{place} must be {shape} [x, degree]; one of them is {what_is(pair)}")
    return [(x, y) for x, y in value]
