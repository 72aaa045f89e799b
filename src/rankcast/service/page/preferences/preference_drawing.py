"""The preference graph: preferred subscriptions at the top, with lines down to those they are preferred over."""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap

from rankcast.cover.layered_layout import Box, layered
from rankcast.model import Preference
from rankcast.service.page.drawings import line_down
from rankcast.service.page.preferences.level_moves import grouped

_LETTER, _LINE, _PAD_X, _PAD_Y = 7.2, 17, 14, 9
_BEND = 8.0
"""The room for a line that passes a level."""

_WIDTH = 20
"""The width, in characters, at which names are wrapped."""


def draw_preferences(preferences: Sequence[Preference], labels: Mapping[str, str], scores: Mapping[str, float]) -> str:
    """An SVG of the graph: a box per subscription (with its label, in the order of `labels`), and a row per level.

    Lines that follow from others are omitted. The colours are CSS classes of the page.
    """
    rows = grouped(list(labels), preferences)
    level_of = {name: number for number, row in enumerate(rows) for name in row}
    texts = {name: [*(wrap(labels[name], _WIDTH) or [""]), f"{scores[name]:.3g}"] for name in labels}
    sizes = {
        name: (max(map(len, lines)) * _LETTER + 2 * _PAD_X, len(lines) * _LINE + 2.0 * _PAD_Y)
        for name, lines in texts.items()
    }
    heights = [max(sizes[name][1] for name in row) for row in rows]
    below: dict[str, list[str]] = {name: [] for name in labels}
    for upper, lower in _needed(preferences):
        above = upper
        for number in range(level_of[upper] + 1, level_of[lower]):
            bend = f"{number}\n{upper}\n{lower}"
            level_of[bend], sizes[bend], below[bend] = number, (_BEND, heights[number]), []
            below[above].append(bend)
            above = bend
        below[above].append(lower)
    placed = layered([Box(key, level_of[key], *sizes[key], tuple(children)) for key, children in below.items()])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rc-graph" width="{placed.width:.0f}" '
        f'height="{placed.height:.0f}" viewBox="0 0 {placed.width:.0f} {placed.height:.0f}" '
        f'style="min-width: {placed.width * 0.6:.0f}px">'
    ]
    for key, children in below.items():
        lines = (line_down(placed.at[key], sizes[key], placed.at[child], sizes[child]) for child in children)
        parts += [f'<path d="{line}"/>' for line in lines]
    for key, (x, y) in placed.at.items():
        parts.append(_box(x, y, *sizes[key], texts[key]) if key in texts else _bend(x, y, sizes[key][1]))
    return "".join([*parts, "</svg>"])


def _box(x: float, y: float, width: float, height: float, lines: Sequence[str]) -> str:
    box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="9"/>'
    for number, line in enumerate(lines, 1):
        score = ' class="rc-graph-score"' if number == len(lines) else ""
        at = y + _PAD_Y + number * _LINE - 4
        box += f'<text{score} x="{x + width / 2:.1f}" y="{at:.1f}">{escape(line)}</text>'
    return box


def _bend(x: float, y: float, height: float) -> str:
    return f'<path d="M {x + _BEND / 2:.1f} {y:.1f} V {y + height:.1f}"/>'


def _needed(preferences: Sequence[Preference]) -> list[tuple[str, str]]:
    """The pairs that do not follow from others. O(pairs * subscriptions)."""
    below: dict[str, list[str]] = {}
    for one in preferences:
        below.setdefault(one.prefer, []).append(one.over)

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        pending = [start]
        while pending:
            for name in below.get(pending.pop(), ()):
                if name not in seen:
                    seen.add(name)
                    pending.append(name)
        return seen

    far = {name: reached(name) for name in below}
    return [
        (one.prefer, one.over)
        for one in preferences
        if not any(one.over in far.get(other, ()) for other in below[one.prefer] if other != one.over)
    ]
