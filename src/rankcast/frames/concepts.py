"""Concepts for a notebook: a vague word with its membership function, shown as a curve."""

from dataclasses import dataclass
from html import escape

from rankcast.errors import ModelError
from rankcast.language import decode_record
from rankcast.language.membership_json import membership_to_json
from rankcast.model import Concept, Gaussian, Record, Table

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 420, 150, 34, 24


@dataclass(frozen=True, slots=True)
class DrawnConcept:
    """A concept that a notebook shows as a curve. Give it to `catalog`, `deliver` and the others beside users."""

    concept: Concept

    def records(self) -> list[Record]:
        """The catalog record of the concept."""
        return [self.concept]

    def __repr__(self) -> str:
        one = self.concept
        ((form, numbers),) = membership_to_json(one.membership).items()
        whose = f" for {one.user}" if one.user else ""
        return f"<{one.attribute} is {one.name}{whose}: {form} {numbers}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>{_curve(self.concept)}"


def concept(name: str, attribute: str, *, user: str | None = None, **form: object) -> DrawnConcept:
    """Say what a vague word means on an attribute, by one membership function; `user` is whose meaning it is.

    >>> concept("cheap", "price", left_shoulder=[500, 900])
    <price is cheap: left_shoulder [500, 900]>
    """
    record = {"kind": "concept", "name": name, "attribute": attribute, **form}
    made = decode_record({**record, "user": user} if user is not None else record)
    if not isinstance(made, Concept):
        raise ModelError(f"{name!r} is no concept")
    return DrawnConcept(made)


def _curve(one: Concept) -> str:
    """The membership function as an SVG: a line, or a bar for each value of a table."""
    membership = one.membership
    if isinstance(membership, Table):
        points: list[tuple[float, float]] = []
        bars = list(membership.degrees)
        low, high = 0.0, float(max(len(bars), 1))
    else:
        if isinstance(membership, Gaussian):
            wide = 3 * membership.sigma
            steps = [membership.mean + wide * (step / 20 - 1) for step in range(41)]
            points = [(x, membership.degree(x)) for x in steps]
        else:
            points = [(float(x), float(y)) for x, y in membership.points()]
        bars = []
        low, high = points[0][0], points[-1][0]
        room = (high - low) * 0.15 or 1.0
        points = [(low - room, points[0][1]), *points, (high + room, points[-1][1])]
        low, high = low - room, high + room

    def at(x: float, y: float) -> str:
        across = _LEFT + (_WIDTH - _LEFT - 8) * (x - low) / (high - low)
        return f"{across:.1f} {_HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - 12) * y:.1f}"

    parts = [
        f"<path d='M{at(low, degree)} L{at(high, degree)}' stroke='currentColor' stroke-opacity='.15'/>"
        f"<text x='0' y='{at(low, degree).split()[1]}' font-size='11' fill='currentColor'>{degree:g}</text>"
        for degree in (0.0, 0.5, 1.0)
    ]
    for number, (value, degree) in enumerate(bars):
        parts.append(
            f"<path d='M{at(number + 0.5, 0)} L{at(number + 0.5, degree)}' stroke='#2a78c6' stroke-width='18'/>"
            f"<text x='{at(number + 0.5, 0).split()[0]}' y='{_HEIGHT - 6}' font-size='11' text-anchor='middle' "
            f"fill='currentColor'>{escape(str(value))}</text>"
        )
    if points:
        line = " L".join(at(x, y) for x, y in points)
        parts.append(f"<path d='M{line}' fill='none' stroke='#2a78c6' stroke-width='2.5'/>")
        for x, _ in points[1:-1] if len(points) <= 8 else (points[1], points[-2]):
            parts.append(
                f"<text x='{at(x, 0).split()[0]}' y='{_HEIGHT - 6}' font-size='11' text-anchor='middle' "
                f"fill='currentColor'>{x:,.6g}</text>"
            )
    said = f"degree to which a value of {escape(one.attribute, quote=True)} is {escape(one.name, quote=True)}"
    return (
        f'<svg role="img" aria-label="{said}" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )
