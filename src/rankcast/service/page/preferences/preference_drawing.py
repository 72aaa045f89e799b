"""The levels of preferences as a drawing, and moving subscriptions between levels."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from textwrap import wrap

from rankcast.cover.layered_layout import Box, layered
from rankcast.model import Preference
from rankcast.rank import levels

Levels = list[list[str]]


def grouped(names: Sequence[str], preferences: Iterable[Preference]) -> Levels:
    """The subscriptions by level, best first.

    >>> grouped(["a", "b", "c"], [Preference("ann", "a", "b")])
    [['a', 'c'], ['b']]
    """
    level_of = levels(names, preferences)
    made: Levels = [[] for _ in range(max(level_of.values(), default=0))]
    for name, level in level_of.items():
        made[level - 1].append(name)
    return made


def moved(before: Levels, name: str, to: int) -> Levels:
    """The levels after moving a subscription to level `to`, counted from 0. Empty levels are removed.

    -1 creates a new level at the top, and the number of levels creates one at the bottom.

    >>> moved([["a", "c"], ["b"]], "c", 1), moved([["a", "c"], ["b"]], "c", -1), moved([["a"], ["b"]], "b", 2)
    ([['a'], ['b', 'c']], [['c'], ['a'], ['b']], [['a'], ['b']])
    """
    made = [[one for one in level if one != name] for level in before]
    if to < 0:
        made.insert(0, [name])
    elif to >= len(made):
        made.append([name])
    else:
        made[to].append(name)
    return [level for level in made if level]


def pairs_of(made: Levels, user: str) -> list[Preference]:
    """The preferences that put each level above the next: every subscription of it over every one of the next."""
    return [Preference(user, better, worse) for upper, lower in pairwise(made) for better in upper for worse in lower]


def says_levels(names: Sequence[str], preferences: Sequence[Preference]) -> bool:
    """Whether the levels express the preferences exactly. Otherwise some subscriptions are not comparable."""
    if not preferences:
        return True
    wanted = {(one.prefer, one.over) for one in pairs_of(grouped(names, preferences), preferences[0].user)}
    return wanted <= {(one.prefer, one.over) for one in preferences}


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
        parts += [f'<path d="{placed.line(key, child)}"/>' for child in children]
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
