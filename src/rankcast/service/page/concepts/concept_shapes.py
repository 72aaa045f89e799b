"""The forms of membership functions with their names, and conversion between similar forms."""

from rankcast import model
from rankcast.errors import ModelError
from rankcast.service.studies.attribute_study import Axis, Study

FORMS = {
    "left_shoulder": "Shoulder, low values",
    "trapezoid": "Trapezoid",
    "triangle": "Triangle",
    "right_shoulder": "Shoulder, high values",
    "gaussian": "Bell",
    "between": "Interval, all or nothing",
    "piecewise": "Points of your own",
    "table": "A degree for each value",
}
"""The names of the forms."""

FIELDS = {
    "trapezoid": ("begins to rise at", "fully so from", "fully so up to", "no more from"),
    "triangle": ("begins to rise at", "fully so at", "no more from"),
    "between": ("from", "up to"),
    "left_shoulder": ("fully so up to", "no more from"),
    "right_shoulder": ("begins to rise at", "fully so from"),
    "gaussian": ("middle", "width (sigma)"),
}
"""The labels of their numbers."""


def forms_for(found: Study, membership: model.Membership) -> dict[str, str]:
    """The forms suitable for an attribute: a table for texts, all others for numbers."""
    if found.is_textual:
        return {"table": FORMS["table"]}
    return {form: name for form, name in FORMS.items() if form != "table" or isinstance(membership, model.Table)}


def first_shape(axis: Axis) -> model.Membership:
    """The initial function, in the middle of the axis."""
    if axis.categories is not None:
        return model.Table(((axis.categories[0][0] if axis.categories else "value", 1.0),))
    shares = (0.3, 0.45, 0.55, 0.7)
    if axis.log:
        places = [axis.low * (axis.high / axis.low) ** share for share in shares]
    else:
        places = [axis.low + (axis.high - axis.low) * share for share in shares]
    return model.Trapezoid(*(float(f"{x:.3g}") for x in places))


def converted(membership: model.Membership, form: str, axis: Axis) -> model.Membership:
    """A function of another form that rises and falls at about the same places."""
    a, b, c, d = _corners(membership, axis)
    match form:
        case "trapezoid":
            return model.Trapezoid(a, b, c, d)
        case "triangle":
            return model.Triangle(a, _between(b, c), d)
        case "between":
            return model.Interval(_between(a, b), _between(c, d))
        case "left_shoulder":
            return model.LeftShoulder(c, d)
        case "right_shoulder":
            return model.RightShoulder(a, b)
        case "gaussian":
            return model.Gaussian(_between(b, c), _short((d - a) / 4) or 1.0)
        case "piecewise":
            points = (
                model.Trapezoid(a, b, c, d).points() if isinstance(membership, model.Gaussian) else _points(membership)
            )
            return model.Piecewise(points)
        case "table":
            return membership
    raise ModelError(f"{form!r} is no form of a membership function")


def _corners(membership: model.Membership, axis: Axis) -> tuple[float, float, float, float]:
    match membership:
        case model.Trapezoid(a, b, c, d):
            return a, b, c, d
        case model.Triangle(a, b, c):
            return a, b, b, c
        case model.Interval(low, high):
            return low, low, high, high
        case model.LeftShoulder(a, b):
            low = min(_short(axis.low), a)
            return low, low, a, b
        case model.RightShoulder(a, b):
            high = max(_short(axis.high), b)
            return a, b, high, high
        case model.Gaussian(mean, sigma):
            return tuple(_short(mean + share * sigma) for share in (-2, -0.5, 0.5, 2))  # type: ignore[return-value]
        case model.Piecewise(corners):
            best = max(degree for _, degree in corners)
            top = [x for x, degree in corners if degree == best]
            return corners[0][0], top[0], top[-1], corners[-1][0]
        case model.Table():
            return _corners(first_shape(Axis(axis.name, axis.low, axis.high, axis.log)), axis)


def _points(membership: model.Membership) -> tuple[tuple[float, float], ...]:
    return () if isinstance(membership, model.Table | model.Gaussian) else membership.points()


def _between(x: float, y: float) -> float:
    return _short((x + y) / 2)


def _short(x: float) -> float:
    told = float(f"{x:.4g}")
    return int(told) if told == int(told) else told
