"""How different two subscriptions are (semantics: Producer-side top-k, diversity).

The paper's Appendix A leaves this distance open.
"""

import math

from rankcast.cover import NormalForm
from rankcast.cover.cells import ANY, Cell
from rankcast.cover.conjunctions import Conjunction
from rankcast.cover.line import ValueLine
from rankcast.cover.strings import StringLine
from rankcast.overlay.extent import line_length, literals_of


def distance(a: NormalForm, b: NormalForm) -> float:
    """1 minus the mean similarity over the attributes that either names; in 0..1, symmetric, 0 for equal expressions.

    The similarity on an attribute is the Jaccard similarity of the admitted values, as for events (semantics:
    Diversity). It is measured by length for numbers and times, and by count for listed strings. If neither measure is
    finite, it is 1 if both admit the same values, else 0. An attribute that only one of them names has similarity 0.
    In a disjunction, each part is compared with the nearest part of the other expression, and the mean of both
    directions counts. An expression too large for a normal form has distance 1 to all others.

    >>> from rankcast.cover import normal_form
    >>> from rankcast.language import parse
    >>> one, two = parse("x between 0 and 4 and p = 'a'"), parse("x between 2 and 6 and p = 'a'")
    >>> round(distance(normal_form(one), normal_form(two)), 6)
    0.333333
    """
    if a is b:
        return 0.0
    if a.conjunctions is None or b.conjunctions is None:
        return 1.0
    if not a.conjunctions or not b.conjunctions:
        return float(a.conjunctions != b.conjunctions)
    one_way = [min(_apart(part, other) for other in b.conjunctions) for part in a.conjunctions]
    other_way = [min(_apart(part, other) for other in a.conjunctions) for part in b.conjunctions]
    return round((sum(one_way) / len(one_way) + sum(other_way) / len(other_way)) / 2, 12)


def _apart(a: Conjunction, b: Conjunction) -> float:
    names = dict.fromkeys([*a, *b])
    if not names:
        return 0.0
    return 1.0 - sum(_similarity(a.get(name, ANY), b.get(name, ANY)) for name in names) / len(names)


def _similarity(a: Cell, b: Cell) -> float:
    if a == b:
        return 1.0
    if not a.meets(b) or a.missing or b.missing:
        return 0.0
    for mine, others in ((a.numbers, b.numbers), (a.times, b.times)):
        if mine and others:
            return _of_lines(mine, others)
    if a.texts is not None and b.texts is not None and len(a.texts.some) == 1 == len(b.texts.some):
        return _of_texts(a.texts.some[0], b.texts.some[0])
    return 0.0


def _of_lines(a: ValueLine, b: ValueLine) -> float:
    shared, either = line_length(a & b), line_length(a | b)
    if math.isinf(either[0]):
        return float(a == b)
    return shared[0] / either[0] if either[0] else shared[1] / either[1]


def _of_texts(a: StringLine, b: StringLine) -> float:
    mine, others = set(literals_of(a)), set(literals_of(b))
    return len(mine & others) / len(mine | others) if mine and others else float(a == b)
