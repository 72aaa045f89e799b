# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""Whether literals hold for an event, and what is written down if all of them do.

The events of a block are given by event and attribute: `ends` has the lowest and the highest code, `counts` the number
of values (0: imprecise, any code between may be meant), and `begins` where they begin in `low`.

numba counts references to the arrays that a call is given, which takes longer than checking a posting. So the searches
are written as one function each, and call these only for what is rare.
"""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.index.words import (
    ACCEPT,
    CHECK,
    CHECKED,
    FLAGS,
    GROUP,
    NEGATED,
    PROGRAM,
    REPEAT,
    REPEATED,
    SCORE_ONE,
    SPLIT,
    VAGUE,
)

MISSING = np.iinfo(np.int32).max
"""The lowest code of an attribute that the event lacks; its highest code is -1."""


@kernel
def lies_in(a, b, e, attribute, ends, counts, begins, low):
    """Whether a value of the attribute lies in `a` to `b`, or may do so."""
    if a > ends[e, attribute, 1] or b < ends[e, attribute, 0]:
        return False
    if counts[e, attribute] <= 1:
        return True
    for v in range(begins[e, attribute], begins[e, attribute] + counts[e, attribute]):  # noqa: SIM110  # must compile
        if a <= low[v] <= b:
            return True
    return False


@kernel
def holds(set_words, p, e, ends, counts, begins, low):
    """Whether the set at word `p` contains a value of the event (or none, if the literal is negated)."""
    head = set_words[p]
    attribute = head >> 4
    if counts[e, attribute] == 0 and head & (VAGUE | NEGATED):
        return True
    found = False
    for i in range(set_words[p + 1]):
        if lies_in(set_words[p + 2 + 2 * i], set_words[p + 3 + 2 * i], e, attribute, ends, counts, begins, low):
            found = True
            break
    return found != (head & NEGATED != 0)


@kernel
def _runs(instructions, set_words, at, e, ends, counts, begins, low):
    """Whether a program accepts."""
    while at >= 0:
        if holds(set_words, instructions[at, 0], e, ends, counts, begins, low):
            at = instructions[at, 1]
        else:
            at = instructions[at, 2]
    return at == ACCEPT


@kernel
def rest_holds(words, q, ranges, stop, instructions, set_words, e, ends, counts, begins, low, soft):
    """Whether all that follows the shared literals of a posting holds. It begins with ranges at word `q`."""
    for _ in range(ranges):
        if not lies_in(words[q + 1], words[q + 2], e, words[q], ends, counts, begins, low):
            return False
        q += 3
    while q < stop:
        if words[q] == PROGRAM:
            if not soft and not _runs(instructions, set_words, words[q + 1], e, ends, counts, begins, low):
                return False
            q += 2
        else:
            if not holds(set_words, words[q], e, ends, counts, begins, low):
                return False
            q += 1
    return True


@kernel
def best_score(payload, info, group_ends, scored):
    """The highest score of a posting's subscriptions, rounded up."""
    if not (info >> FLAGS) & GROUP:
        return np.int64(np.ceil(scored[payload, 0] * SCORE_ONE))
    best = 0.0
    for member in range(group_ends[payload, 0], group_ends[payload, 1]):
        best = max(best, scored[member, 0])
    return np.int64(np.ceil(best * SCORE_ONE))


@kernel
def noted(event, payload, info, soft, several, group_ends, out_event, out_item, size):
    """Write down the subscriptions of a posting that holds. Returns the new size; -1 if there is no room."""
    flags = info >> FLAGS
    mark = np.int32(0)
    if soft or flags & CHECKED:
        mark |= CHECK
    if flags & REPEATED or (flags & SPLIT and (soft or several)):
        mark |= REPEAT
    if not flags & GROUP:
        if size == len(out_item):
            return -1
        out_event[size], out_item[size] = event, payload | mark
        return size + 1
    member, members = group_ends[payload, 0], group_ends[payload, 1]
    if size + members - member > len(out_item):
        return -1
    while member < members:
        out_event[size], out_item[size] = event, member | mark
        size += 1
        member += 1
    return size
