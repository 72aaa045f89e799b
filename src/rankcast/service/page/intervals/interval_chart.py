"""The number of matches against the width of the interval, as SVG (A-ToPSS, Figure 7)."""

from collections.abc import Mapping, Sequence

from rankcast.service.page.colours import number_text

__all__ = ["COLOURS", "interval_chart"]

COLOURS = {
    "crisp": "#8a8f98",
    "as subscribed": "#2f6fed",
    "optimistic": "#2e9e5b",
    "indifferent": "#c98a1b",
    "pessimistic": "#c0413b",
}
_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 16, 48  # on a phone, two lines of 18 below the axis


def interval_chart(widths: Sequence[float], counts: Mapping[str, Sequence[int]], now: float) -> str:
    """A line for each case; `now` is the width of the chosen interval.

    >>> interval_chart([0, 10], {"crisp": [3, 3], "optimistic": [3, 8]}, 5).count("<path")
    2
    """
    top = max(1, *(count for line in counts.values() for count in line))
    widest = max(widths) or 1

    def x(width: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * width / widest

    def y(count: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * count / top

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" class="rc-chart" preserveAspectRatio="xMidYMid meet">']
    for count in sorted({0, round(top / 2), top}):
        parts.append(
            f'<line class="rc-grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(count):.1f}" y2="{y(count):.1f}"/>'
        )
        parts.append(f'<text x="{_LEFT - 7}" y="{y(count) + 4:.1f}" text-anchor="end">{count:,}</text>')
    for width, anchor in ((0.0, "start"), (widest / 2, "middle"), (widest, "end")):
        parts.append(f'<text x="{x(width):.1f}" y="{_HEIGHT - 28}" text-anchor="{anchor}">{number_text(width)}</text>')
    parts.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 6}" text-anchor="middle">width of the interval</text>')
    parts.append(
        f'<line x1="{x(now):.1f}" x2="{x(now):.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" '
        'stroke="currentColor" stroke-dasharray="3 3" opacity="0.6"/>'
    )
    for case, line in counts.items():
        path = "M " + " L ".join(f"{x(w):.1f} {y(c):.1f}" for w, c in zip(widths, line, strict=True))
        dashes = ' stroke-dasharray="6 4"' if case == "crisp" else ""
        parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[case]}" stroke-width="2"{dashes}/>')
    return "".join([*parts, "</svg>"])
