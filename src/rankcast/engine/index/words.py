"""The binary layout of the index: a stream of 32-bit words that a kernel reads from front to back.

::

    list      the postings of one block of an attribute's codes (or of no block: those that every event must try)
        0                                  then plain postings up to the end of the list
        D, log2 T, P                       with a second key: D attributes, T slots in a table, P words plain postings
            D attributes                   the attributes of the second keys
            T slots of 3 words             second key or -1, begin and end of its postings relative to the list
            plain postings, then those of each second key
    posting   payload, length | S << 20 | flags << 26, score, S ranges, further literals
    range     attribute, low, high
    literal   attribute << 4 | NEGATED? | VAGUE?
        count, then low and high of each interval
    program   PROGRAM, first instruction
    instruction   word of its literal, next instruction if it holds, and if not; or ACCEPT, REJECT

A payload is a subscription's turn, or with the flag GROUP, the number of a group of identical subscriptions.
"""

import numpy as np

__all__ = [
    "ACCEPT",
    "CHECK",
    "CHECKED",
    "FLAGS",
    "GROUP",
    "LENGTH",
    "MOST_RANGES",
    "NEGATED",
    "PROGRAM",
    "RANGES",
    "REJECT",
    "REPEAT",
    "REPEATED",
    "SCORE_ONE",
    "SPLIT",
    "TURN",
    "VAGUE",
]

PROGRAM = -1
NEGATED = 4
"""The literal holds if and only if no value passes."""
VAGUE = 8
"""The literal is an alpha-cut of a concept: it decides nothing for an imprecise value."""

GROUP = 1
REPEATED = 2
"""Several entries have this payload, and more than one may hold."""
CHECKED = 4
"""What passes is only a candidate: plain evaluation decides and computes the degree."""
SPLIT = 8
"""The entry is filed under several blocks; an event with several values, or an imprecise one, may find it twice."""
LENGTH = 0xFFFFF
RANGES = 20
FLAGS = 26
MOST_RANGES = 63
"""The most ranges of a posting; further ones are written as sets of one interval."""

ACCEPT, REJECT = -1, -2

CHECK, REPEAT = np.int32(-(2**31)), np.int32(2**30)
"""Flags of the kernel's results, beside the subscription's turn: must be evaluated; perhaps found before."""

TURN = np.int32(2**30 - 1)

SCORE_ONE = 1 << 30
"""The score 1 in a posting; scores in postings are rounded up."""
