"""Small line charts over time, as SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["ChartLine", "line_chart"]

_WIDTH, _HEIGHT = 640, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 26, 26


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Points (seconds ago, value), oldest first, in a CSS colour. `filled` fills the area down to zero."""

    points: Sequence[tuple[float, float]]
    colour: str
    filled: bool = False


def line_chart(lines: Sequence[ChartLine], span: float, unit: str, gaps: Sequence[tuple[float, float]] = ()) -> str:
    """An SVG of the values of the last `span` seconds, which scales to the available width.

    No line is drawn over a gap (from, to, in seconds ago), in which nothing was recorded.

    >>> line_chart([ChartLine([(4.0, 1.0), (0.0, 3.0)], "red")], 60, "per s").count("<path")
    1
    """
    highest = max((value for line in lines for _, value in line.points), default=0)
    step = _nice(max(highest, 1) / 3)
    top = step * math.ceil(max(highest, step) / step)

    def x(ago: float) -> float:
        return _WIDTH - _RIGHT - (_WIDTH - _LEFT - _RIGHT) * min(ago / span, 1)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / top

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" class="rc-chart" preserveAspectRatio="xMidYMid meet">']
    for number in range(round(top / step) + 1):
        at = y(number * step)
        parts.append(f'<line class="rc-grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{number * step:,.4g}</text>')
    for ago in (span, span / 2, 0.0):
        told = f"{_spoken(ago)} ago" if ago else "now"
        anchor = "start" if ago == span else "end" if not ago else "middle"
        parts.append(f'<text x="{x(ago):.1f}" y="{_HEIGHT - 7}" text-anchor="{anchor}">{told}</text>')
    parts.append(f'<text x="{_LEFT}" y="14">{escape(unit)}</text>')
    for begin, end in gaps:
        left, right = x(begin), x(end)
        parts.append(
            f'<rect class="rc-gap" x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" '
            f'height="{_HEIGHT - _TOP - _BOTTOM}"><title>nothing was recorded</title></rect>'
        )
    for line in lines:
        for part in _unbroken([point for point in line.points if point[0] <= span], gaps):
            points = [(x(ago), y(value)) for ago, value in part]
            path = "M " + " L ".join(f"{px:.1f} {py:.1f}" for px, py in points)
            if line.filled:
                closed = f"{path} L {points[-1][0]:.1f} {y(0):.1f} L {points[0][0]:.1f} {y(0):.1f} Z"
                parts.append(f'<path d="{closed}" fill="{line.colour}" opacity="0.18"/>')
            drawn = path if len(points) > 1 else f"{path} h 0.1"
            parts.append(
                f'<path d="{drawn}" fill="none" stroke="{line.colour}" stroke-width="2" stroke-linejoin="round" '
                'stroke-linecap="round"/>'
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
