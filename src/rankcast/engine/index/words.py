"""The binary layout of the index: a stream of 32-bit words that a kernel reads from front to back.

::

    list      the postings of one block of an attribute's codes (or of no block: those that every event must try)
        0                                  then a span
        D, log2 T, P                       with second keys: D attributes, T slots in a table, P words plain postings
            D attributes                   the attributes of the second keys
            T slots of 2 words             second key or -1, begin of its group relative to the list
            a span if P > 0, then groups
    group     shared literal that is the second key, length, span
    span      postings in runs with the same shared range: the number of runs, their heads, their postings
    head      the number of the shared range (after the last literal: none), length of the run, 16 bits each
    posting   payload, length | N << 16 | R << 21 | flags << 26
        N shared literals                  16 bits each, up to a whole word
        R ranges                           attribute, low, high
        further literals                   the word of each among the sets
        PROGRAM, first instruction         if it has a program
    set       attribute << 4 | NEGATED? | VAGUE?
        count, then low and high of each interval
    instruction   word of its set, next instruction if it holds, and if not; or ACCEPT, REJECT

A payload is a subscription's turn, or with the flag GROUP, the number of a group of identical subscriptions. A
literal that many postings have is *shared*: it is numbered, stored once, and decided once for a block of events.
The heads of runs follow each other, so that the search skips runs without looking at their postings.
"""

import numpy as np

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
LENGTH = 0xFFFF
SHARED, RANGES, FLAGS = 16, 21, 26
MOST_LITERALS = 31
"""The most literals of a posting that are shared or ranges; those after them are sets."""
MOST_SHARED = (1 << 16) - 1
"""The most shared literals of an index."""

ACCEPT, REJECT = -1, -2

CHECK, REPEAT = np.int32(-(2**31)), np.int32(2**30)
"""Flags of the kernel's results, beside the subscription's turn: must be evaluated; perhaps found before."""

TURN = np.int32(2**30 - 1)

SCORE_ONE = 1 << 30
"""The score 1 in a comparison with the least score that is wanted."""
