"""Small line charts as SVG, over time or over another quantity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

_WIDTH, _HEIGHT = 640, 180
_LEFT, _RIGHT, _TOP = 44, 12, 26


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Points (place, value) in the order of the axis, in a CSS colour. `filled` fills the area down to zero."""

    points: Sequence[tuple[float, float]]
    colour: str
    filled: bool = False
    dashed: bool = False


def line_chart(lines: Sequence[ChartLine], span: float, unit: str, gaps: Sequence[tuple[float, float]] = ()) -> str:
    """An SVG of the values of the last `span` seconds. The points are (seconds ago, value), oldest first.

    No line is drawn over a gap (from, to, in seconds ago), in which nothing was recorded.

    >>> line_chart([ChartLine([(4.0, 1.0), (0.0, 3.0)], "red")], 60, "per s").count("<path")
    1
    """
    axis = [(ago, f"{_spoken(ago)} ago" if ago else "now") for ago in (span, span / 2, 0.0)]
    shown = [replace(line, points=[point for point in line.points if point[0] <= span]) for line in lines]
    return chart(shown, axis, unit, gaps)


def chart(
    lines: Sequence[ChartLine],
    axis: Sequence[tuple[float, str]],
    unit: str,
    gaps: Sequence[tuple[float, float]] = (),
    mark: float | None = None,
    below: str = "",
) -> str:
    """An SVG that scales to the available width.

    `axis` has the labelled places from left to right, `unit` says what the values are, and `below` what the places
    are. A dashed line goes through the place `mark`.
    """
    highest = max((value for line in lines for _, value in line.points), default=0)
    step = _nice(max(highest, 1) / 3)
    top = step * math.ceil(max(highest, step) / step)
    left, right = axis[0][0], axis[-1][0]
    bottom = _HEIGHT - (48 if below else 26)  # on a phone, a line of text is 18 high

    def x(place: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(max((place - left) / (right - left), 0), 1)

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * value / top

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" class="rc-chart" preserveAspectRatio="xMidYMid meet">']
    for number in range(round(top / step) + 1):
        at = y(number * step)
        parts.append(f'<line class="rc-grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{number * step:,.4g}</text>')
    for place, text in axis:
        anchor = "start" if place == left else "end" if place == right else "middle"
        parts.append(f'<text x="{x(place):.1f}" y="{bottom + 19}" text-anchor="{anchor}">{text}</text>')
    parts.append(f'<text x="{_LEFT}" y="14">{escape(unit)}</text>')
    if below:
        parts.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(below)}</text>')
    if mark is not None:
        parts.append(
            f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{_TOP}" y2="{bottom}" '
            'stroke="currentColor" stroke-dasharray="3 3" opacity="0.6"/>'
        )
    for begin, end in gaps:
        parts.append(
            f'<rect class="rc-gap" x="{x(begin):.1f}" y="{_TOP}" width="{x(end) - x(begin):.1f}" '
            f'height="{bottom - _TOP}"><title>nothing was recorded</title></rect>'
        )
    for line in lines:
        for part in _unbroken(line.points, gaps):
            points = [(x(place), y(value)) for place, value in part]
            path = "M " + " L ".join(f"{px:.1f} {py:.1f}" for px, py in points)
            if line.filled:
                closed = f"{path} L {points[-1][0]:.1f} {y(0):.1f} L {points[0][0]:.1f} {y(0):.1f} Z"
                parts.append(f'<path d="{closed}" fill="{line.colour}" opacity="0.18"/>')
            drawn = path if len(points) > 1 else f"{path} h 0.1"
            dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
            parts.append(
                f'<path d="{drawn}" fill="none" stroke="{line.colour}" stroke-width="2" stroke-linejoin="round" '
                f'stroke-linecap="round"{dashes}/>'
            )
    return "".join([*parts, "</svg>"])


def _unbroken(
    points: Sequence[tuple[float, float]], gaps: Sequence[tuple[float, float]]
) -> list[list[tuple[float, float]]]:
    """The points, divided at the gaps."""
    parts: list[list[tuple[float, float]]] = []
    for point in points:
        is_new = not parts or any(parts[-1][-1][0] >= begin and point[0] <= end for begin, end in gaps)
        if is_new:
            parts.append([])
        parts[-1].append(point)
    return parts


def _spoken(seconds: float) -> str:
    units = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
    size, unit = next(known for known in units if seconds >= known[0])
    return f"{seconds / size:.3g} {unit}"


def _nice(x: float) -> float:
    """The next larger 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(x))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= x - 1e-12)
