"""Levels of subscriptions: moving a subscription between levels, and the equivalent preferences."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

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
