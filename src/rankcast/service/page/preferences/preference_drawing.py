"""The preference graph: preferred subscriptions at the top, with lines down to those they are preferred over."""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap

from rankcast.model import Preference
from rankcast.service.page.preferences.level_moves import grouped

__all__ = ["draw_preferences"]

_LETTER, _LINE, _PAD_X, _PAD_Y = 7.2, 17, 14, 9
_GAP, _DROP, _MARGIN = 18, 46, 8
_SWEEPS = 6
_WIDTH = 20
"""The width, in characters, at which names are wrapped."""


def draw_preferences(preferences: Sequence[Preference], labels: Mapping[str, str], scores: Mapping[str, float]) -> str:
    """An SVG of the graph: a box per subscription (with its label, in the order of `labels`), and a row per level.

    Lines that follow from others are omitted. The colours are CSS classes of the page.
    """
    rows = grouped(list(labels), preferences)
    boxes = {name: _Box(labels[name], f"{scores[name]:.3g}") for name in labels}
    edges = _through_levels(rows, boxes, _needed(preferences))
    _order(rows, edges)
    width = max((_row_width(row, boxes) for row in rows), default=0.0)
    y: float = _MARGIN
    for row in rows:
        x = _MARGIN + (width - _row_width(row, boxes)) / 2
        for name in row:
            boxes[name].x, boxes[name].y = x, y
            x += boxes[name].width + _GAP
        height = max(boxes[name].height for name in row)
        for name in row:
            boxes[name].height = height if boxes[name].is_bend else boxes[name].height
        y += height + _DROP
    bottom = y - _DROP + _MARGIN if rows else 2.0 * _MARGIN
    width += 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rc-graph" width="{width:.0f}" height="{bottom:.0f}" '
        f'viewBox="0 0 {width:.0f} {bottom:.0f}" style="min-width: {width * 0.6:.0f}px">'
    ]
    parts += [_edge(boxes[upper], boxes[lower]) for upper, lower in edges]
    parts += [box.drawn() for box in boxes.values()]
    return "".join([*parts, "</svg>"])


def _row_width(row: list[str], boxes: "dict[str, _Box]") -> float:
    return sum(boxes[name].width for name in row) + _GAP * (len(row) - 1)


def _through_levels(
    rows: list[list[str]], boxes: "dict[str, _Box]", pairs: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The lines from level to level. Where a line crosses a level, a bend reserves room for it."""
    level_of = {name: number for number, row in enumerate(rows) for name in row}
    edges: list[tuple[str, str]] = []
    for upper, lower in pairs:
        at = upper
        for number in range(level_of[upper] + 1, level_of[lower]):
            bend = f"{number}\n{upper}\n{lower}"
            boxes[bend] = _Box("", "", is_bend=True)
            rows[number].append(bend)
            edges.append((at, bend))
            at = bend
        edges.append((at, lower))
    return edges


def _order(rows: list[list[str]], edges: list[tuple[str, str]]) -> None:
    """Order each row so that a box is near the middle of its neighbours and few lines cross."""
    linked: dict[str, list[str]] = {}
    for upper, lower in edges:
        linked.setdefault(upper, []).append(lower)
        linked.setdefault(lower, []).append(upper)
    place = {name: (at + 0.5) / len(row) for row in rows for at, name in enumerate(row)}

    def middle(name: str) -> float:
        around = linked.get(name, [name])
        return sum(place[one] for one in around) / len(around)

    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 else rows[::-1]:
            row.sort(key=middle)
            place |= {name: (at + 0.5) / len(row) for at, name in enumerate(row)}


class _Box:
    """One subscription or the bend of a line, with its position."""

    def __init__(self, text: str, score: str, is_bend: bool = False) -> None:
        self.is_bend = is_bend
        self.lines = wrap(text, _WIDTH, break_long_words=True) or [""]
        self.score = score
        self.width = 8.0 if is_bend else max(len(line) for line in (*self.lines, score)) * _LETTER + 2 * _PAD_X
        self.height = (len(self.lines) + 1) * _LINE + 2 * _PAD_Y
        self.x = self.y = 0.0

    def drawn(self) -> str:
        middle = self.x + self.width / 2
        if self.is_bend:
            return f'<path d="M {middle:.1f} {self.y:.1f} V {self.y + self.height:.1f}"/>'
        box = f'<rect x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" height="{self.height:.1f}" rx="9"/>'
        texts = [
            f'<text x="{middle:.1f}" y="{self.y + _PAD_Y + 13 + number * _LINE:.1f}">{escape(line)}</text>'
            for number, line in enumerate(self.lines)
        ]
        below = self.y + _PAD_Y + 13 + len(self.lines) * _LINE
        return (
            box + "".join(texts) + f'<text class="rc-graph-score" x="{middle:.1f}" y="{below:.1f}">{self.score}</text>'
        )


def _edge(upper: _Box, lower: _Box) -> str:
    x1, y1 = upper.x + upper.width / 2, upper.y + upper.height
    x2, y2 = lower.x + lower.width / 2, lower.y
    bend = (y2 - y1) / 2
    return f'<path d="M {x1:.1f} {y1:.1f} C {x1:.1f} {y1 + bend:.1f}, {x2:.1f} {y2 - bend:.1f}, {x2:.1f} {y2:.1f}"/>'


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
