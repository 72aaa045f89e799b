"""The subscription graph as a picture: general subscriptions at the top, lines down to those that they cover."""

from dataclasses import dataclass
from html import escape
from textwrap import wrap

from rankcast.cover.graph import Node, SubscriptionGraph
from rankcast.language import label

__all__ = ["draw"]

_LETTER, _LINE, _PADDING = 6.6, 15, 9
_GAP, _DROP, _MARGIN = 22, 64, 24
_WIDTH = 26
"""Letters per line of a label."""

_PAGE = 1300
"""Width at which unconnected parts continue in a new row."""

_MOST_INTERESTS = 6
_SWEEPS = 6
_COLOURS = ("#2f6db3", "#b3552f", "#2f8f5b", "#8a4fa3", "#a38a1f", "#3f8f9e", "#b33f6b", "#5d6b2f")


@dataclass(slots=True)
class _Box:
    node: Node
    lines: list[str]
    interests: list[tuple[str, str]]
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        longest = max(len(text) for text in (*self.lines, *(text for text, _ in self.interests)))
        return longest * _LETTER + 2 * _PADDING

    @property
    def height(self) -> float:
        return (len(self.lines) + len(self.interests)) * _LINE + 2 * _PADDING


def draw(graph: SubscriptionGraph, title: str = "") -> str:
    """An SVG of the graph, for one user or a catalog of a few dozen subscriptions.

    Each node shows its subscription, then its users with their scores. A filled dot is the status bit: the same user
    has a more specific subscription below.
    """
    colours = _colours(graph)
    boxes = [_box(node, colours) for node in graph.nodes]
    top: float = _MARGIN + (30 if title else 0)
    width, height = _pack(_parts(boxes), top)
    width = max(width, len(title) * 9) + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="DejaVu Sans Mono, Menlo, monospace" font-size="11">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    if title:
        parts.append(
            f'<text x="{width / 2:.1f}" y="{_MARGIN + 6}" text-anchor="middle" font-size="14" '
            f'font-weight="bold">{escape(title)}</text>'
        )
    parts += [_edge(box, boxes[child]) for box in boxes for child in box.node.children]
    parts += [_shown(box) for box in boxes]
    return "\n".join([*parts, "</svg>", ""])


def _colours(graph: SubscriptionGraph) -> dict[str, str]:
    users = sorted({interest.user for node in graph.nodes for interest in node.interests})
    return {user: _COLOURS[number % len(_COLOURS)] for number, user in enumerate(users)}


def _box(node: Node, colours: dict[str, str]) -> _Box:
    lines = wrap(label(node.where), _WIDTH, break_long_words=True)
    shown = [
        (f"{'●' if one.refined else '○'} {_cut(one.user)} {one.score:.3g}", colours[one.user])
        for one in node.interests[:_MOST_INTERESTS]
    ]
    if (more := len(node.interests) - _MOST_INTERESTS) > 0:
        shown.append((f"and {more} more", "#666666"))
    return _Box(node, lines, shown)


def _cut(text: str) -> str:
    return text if len(text) <= 16 else text[:15] + "…"


def _row_width(row: list[_Box]) -> float:
    return sum(box.width for box in row) + _GAP * (len(row) - 1)


def _parts(boxes: list[_Box]) -> list[list[_Box]]:
    """The connected parts of the graph, largest first."""
    part_of = {box.node.number: [box] for box in boxes}
    for box in boxes:
        for child in box.node.children:
            one, other = part_of[box.node.number], part_of[child]
            if one is not other:
                one += other
                for moved in other:
                    part_of[moved.node.number] = one
    parts = {id(part): part for part in part_of.values()}
    return sorted(parts.values(), key=lambda part: (-len(part), min(box.node.number for box in part)))


def _pack(parts: list[list[_Box]], top: float) -> tuple[float, float]:
    """Lay out each part and arrange the parts next to and below each other; returns the total width and height."""
    x: float = _MARGIN
    y, bottom, widest = top, top, 0.0
    for part in parts:
        width, height = _lay_out(part)
        if x > _MARGIN and x + width > _PAGE:
            x, y = float(_MARGIN), bottom + _GAP
        for box in part:
            box.x += x
            box.y += y
        x += width + _GAP
        bottom = max(bottom, y + height)
        widest = max(widest, x - _GAP - _MARGIN)
    return widest, bottom + _MARGIN


def _lay_out(part: list[_Box]) -> tuple[float, float]:
    """Place the boxes of a part by level, starting at (0, 0); returns its width and height."""
    rows: dict[int, list[_Box]] = {}
    for box in part:
        rows.setdefault(box.node.level, []).append(box)
    _order(rows, part)
    width = max(_row_width(row) for row in rows.values())
    y = 0.0
    for level in sorted(rows):
        x = (width - _row_width(rows[level])) / 2
        for box in rows[level]:
            box.x, box.y = x, y
            x += box.width + _GAP
        y += max(box.height for box in rows[level]) + _DROP
    return width, y - _DROP


def _order(rows: dict[int, list[_Box]], boxes: list[_Box]) -> None:
    """Move each box near the middle of its neighbours, so that few lines cross."""
    linked: dict[int, list[int]] = {box.node.number: list(box.node.children) for box in boxes}
    for box in boxes:
        for child in box.node.children:
            linked[child].append(box.node.number)
    place = {box.node.number: number / len(row) for row in rows.values() for number, box in enumerate(row)}

    def middle(box: _Box) -> float:
        around = linked[box.node.number]
        return sum(place[number] for number in around) / len(around) if around else place[box.node.number]

    for sweep in range(_SWEEPS):
        for level in sorted(rows, reverse=bool(sweep % 2)):
            rows[level].sort(key=lambda box: (middle(box), box.node.number))
            for number, box in enumerate(rows[level]):
                place[box.node.number] = (number + 0.5) / len(rows[level])


def _edge(upper: _Box, lower: _Box) -> str:
    x1, y1 = upper.x + upper.width / 2, upper.y + upper.height
    x2, y2 = lower.x + lower.width / 2, lower.y
    bend = (y2 - y1) / 2
    return (
        f'<path d="M {x1:.1f} {y1:.1f} C {x1:.1f} {y1 + bend:.1f}, {x2:.1f} {y2 - bend:.1f}, {x2:.1f} {y2:.1f}" '
        'fill="none" stroke="#999999"/>'
    )


def _shown(box: _Box) -> str:
    parts = [
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6" '
        'fill="#f7f7f4" stroke="#555555"/>'
    ]
    y = box.y + _PADDING + _LINE - 4
    for line in box.lines:
        parts.append(f'<text x="{box.x + box.width / 2:.1f}" y="{y:.1f}" text-anchor="middle">{escape(line)}</text>')
        y += _LINE
    for text, colour in box.interests:
        parts.append(f'<text x="{box.x + _PADDING:.1f}" y="{y:.1f}" fill="{colour}">{escape(text)}</text>')
        y += _LINE
    return "\n".join(parts)
