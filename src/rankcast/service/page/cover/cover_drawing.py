"""The cover graph as SVG for the page: themed, with nodes as buttons, and with the animated walk of an event."""

from collections.abc import Mapping
from html import escape
from textwrap import wrap

from rankcast.cover import Node, SubscriptionGraph
from rankcast.cover.layered_layout import Box, layered
from rankcast.language import label
from rankcast.language.event_words import cut
from rankcast.service.page.colours import colour
from rankcast.service.page.drawings import line_down

_LETTER, _LINE, _PADDING = 6.5, 16.0, 10.0
_LETTERS = 28
_MOST_LINES = 5
_MOST_USERS = 5
_PAGE = 680.0


def cover_svg(graph: SubscriptionGraph, chosen: int | None = None, visited: Mapping[int, bool] | None = None) -> str:
    """Draw the graph. `visited` has the nodes of a walk in order, and whether the event matched at each.

    General subscriptions are at the top, and lines lead down to the subscriptions they cover. All texts are escaped.
    """
    users = sorted({interest.user for node in graph.nodes for interest in node.interests})
    colours = {user: colour(number) for number, user in enumerate(users)}
    texts = {node.number: _lines(node) for node in graph.nodes}
    boxes = [
        Box(str(node.number), node.level, *_size(*texts[node.number]), tuple(map(str, node.children)))
        for node in graph.nodes
    ]
    placed = layered(boxes, page=_PAGE)
    sizes = {box.key: (box.width, box.height) for box in boxes}
    order = {number: place for place, number in enumerate(visited or {})}
    parts = [
        f'<svg class="rcd-graph" viewBox="0 0 {placed.width:.0f} {placed.height:.0f}" '
        f'style="width: 100%; max-width: {placed.width:.0f}px; min-width: {0.7 * placed.width:.0f}px">'
    ]
    for box in boxes:
        for child in box.children:
            went = visited is not None and int(child) in order and visited.get(int(box.key), False)
            line = line_down(placed.at[box.key], sizes[box.key], placed.at[child], sizes[child])
            parts.append(f'<path class="rc-edge{" rc-went" if went else ""}" d="{line}"/>')
    for node in graph.nodes:
        classes = ["rc-node"]
        if node.number == chosen:
            classes.append("rc-chosen")
        if visited is not None:
            classes.append("rc-unseen" if node.number not in order else "rc-hit" if visited[node.number] else "rc-miss")
        parts.append(
            _node(
                node, texts[node.number], colours, placed.at[str(node.number)], sizes[str(node.number)], classes, order
            )
        )
    return "".join([*parts, "</svg>"])


def _lines(node: Node) -> tuple[list[str], list[tuple[str, str]]]:
    lines = wrap(label(node.where), _LETTERS, break_long_words=True)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], cut(lines[_MOST_LINES - 1] + " …", _LETTERS)]
    people = [(f"{cut(one.user, 18)} {one.score:.2g}", one.user) for one in node.interests[:_MOST_USERS]]
    if (more := len(node.interests) - _MOST_USERS) > 0:
        people.append((f"and {more} more", ""))
    return lines, people


def _size(lines: list[str], people: list[tuple[str, str]]) -> tuple[float, float]:
    longest = max(len(text) for text in (*lines, *(f"● {text}" for text, _ in people)))
    return longest * _LETTER + 2 * _PADDING, (len(lines) + len(people)) * _LINE + 2 * _PADDING


def _node(
    node: Node,
    texts: tuple[list[str], list[tuple[str, str]]],
    colours: Mapping[str, str],
    at: tuple[float, float],
    size: tuple[float, float],
    classes: list[str],
    order: Mapping[int, int],
) -> str:
    lines, people = texts
    delay = f' style="--order: {order[node.number]}"' if node.number in order else ""
    said = escape(label(node.where), quote=True)
    parts = [
        f'<g class="{" ".join(classes)}" data-node="{node.number}" role="button" tabindex="0" '
        f'aria-label="{said}"{delay} transform="translate({at[0]:.1f} {at[1]:.1f})">'
        f'<title>{said}</title><rect width="{size[0]:.1f}" height="{size[1]:.1f}" rx="9"/>'
    ]
    y = _PADDING + _LINE - 4
    for line in lines:
        parts.append(f'<text x="{size[0] / 2:.1f}" y="{y:.1f}" text-anchor="middle">{escape(line)}</text>')
        y += _LINE
    for text, user in people:
        dot = f'<tspan fill="{colours[user]}">●</tspan> ' if user else ""
        parts.append(f'<text class="rc-who-has" x="{_PADDING:.1f}" y="{y:.1f}">{dot}{escape(text)}</text>')
        y += _LINE
    return "".join([*parts, "</g>"])
