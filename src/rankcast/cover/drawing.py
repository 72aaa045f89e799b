"""The subscription graph as a picture: general subscriptions at the top, lines down to those that they cover."""

from html import escape
from textwrap import wrap

from rankcast.cover.graph import Node, SubscriptionGraph
from rankcast.cover.layered_layout import Box, layered
from rankcast.language import label

_LETTER, _LINE, _PADDING = 6.6, 15, 9
_WIDTH = 26
"""Letters per line of a label."""

_PAGE = 1300
"""Width at which unconnected parts continue in a new row."""

_TITLE = 34
_MOST_INTERESTS = 6
_COLOURS = ("#2f6db3", "#b3552f", "#2f8f5b", "#8a4fa3", "#a38a1f", "#3f8f9e", "#b33f6b", "#5d6b2f")


def draw(graph: SubscriptionGraph, title: str = "") -> str:
    """An SVG of the graph, for one user or a catalog of a few dozen subscriptions.

    Each node shows its subscription, then its users with their scores. A filled dot is the status bit: the same user
    has a more specific subscription below.
    """
    colours = _colours(graph)
    texts = {str(node.number): _texts(node, colours) for node in graph.nodes}
    boxes = [
        Box(str(node.number), node.level, *_size(texts[str(node.number)]), tuple(map(str, node.children)))
        for node in graph.nodes
    ]
    placed = layered(boxes, page=_PAGE, top=_TITLE if title else 0)
    width, height = max(placed.width, len(title) * 9 + 40), placed.height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="DejaVu Sans Mono, Menlo, monospace" font-size="11">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    if title:
        parts.append(
            f'<text x="{width / 2:.1f}" y="{_TITLE - 4}" text-anchor="middle" font-size="14" '
            f'font-weight="bold">{escape(title)}</text>'
        )
    lines = [placed.line(box.key, child) for box in boxes for child in box.children]
    parts += [f'<path d="{line}" fill="none" stroke="#999999"/>' for line in lines]
    parts += [_shown(box, placed.at[box.key], texts[box.key]) for box in boxes]
    return "\n".join([*parts, "</svg>", ""])


def _colours(graph: SubscriptionGraph) -> dict[str, str]:
    users = sorted({interest.user for node in graph.nodes for interest in node.interests})
    return {user: _COLOURS[number % len(_COLOURS)] for number, user in enumerate(users)}


def _texts(node: Node, colours: dict[str, str]) -> list[tuple[str, str | None]]:
    """The lines of a node: its expression without a colour, its users in theirs."""
    lines: list[tuple[str, str | None]] = [
        (line, None) for line in wrap(label(node.where), _WIDTH, break_long_words=True)
    ]
    lines += [
        (f"{'●' if one.refined else '○'} {_cut(one.user)} {one.score:.3g}", colours[one.user])
        for one in node.interests[:_MOST_INTERESTS]
    ]
    if (more := len(node.interests) - _MOST_INTERESTS) > 0:
        lines.append((f"and {more} more", "#666666"))
    return lines


def _size(lines: list[tuple[str, str | None]]) -> tuple[float, float]:
    return max(len(text) for text, _ in lines) * _LETTER + 2 * _PADDING, len(lines) * _LINE + 2 * _PADDING


def _cut(text: str) -> str:
    return text if len(text) <= 16 else text[:15] + "…"


def _shown(box: Box, at: tuple[float, float], lines: list[tuple[str, str | None]]) -> str:
    x, y = at
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6" '
        'fill="#f7f7f4" stroke="#555555"/>'
    ]
    for number, (text, colour) in enumerate(lines, 1):
        line = y + _PADDING + number * _LINE - 4
        if colour:
            parts.append(f'<text x="{x + _PADDING:.1f}" y="{line:.1f}" fill="{colour}">{escape(text)}</text>')
        else:
            middle = x + box.width / 2
            parts.append(f'<text x="{middle:.1f}" y="{line:.1f}" text-anchor="middle">{escape(text)}</text>')
    return "\n".join(parts)
