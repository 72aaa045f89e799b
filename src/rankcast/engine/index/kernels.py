# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The matching kernel: events as codes in, candidates out (see `words` for the data that it reads)."""

from rankcast.compiling import kernel
from rankcast.engine.index.blocks import BLOCK, search_block
from rankcast.engine.index.singles import search_events, workspace

__all__ = ["BLOCK", "match_events"]


@kernel
def match_events(
    words, numbers, literals, instructions, set_words, group_ends, scored, lists, level_start, level, literal_start,
    event_start, attribute, low, high, is_soft, start, least, few, out_event, out_item,
):  # fmt: skip
    """Find candidates of the events from `start` on, with at least this score.

    Writes their place, and the subscription's turn with the flags CHECK and REPEAT. Less than `few` events are
    searched for one at a time, others in blocks. `numbers` are the words as 16-bit numbers.

    Stops before the first block of events that does not fit. Returns its first event, the number of candidates
    written, and whether one of them may have flags.
    """
    first, size, count, any_marked = start, 0, len(event_start) - 1, False
    while first < count:
        last = min(first + BLOCK, count)
        before = size
        if last - first < few:
            written = workspace(len(level_start) - 1, literals.shape[1])
            size, is_marked = search_events(
                words, numbers, literals, instructions, set_words, group_ends, scored, lists, level_start, level,
                literal_start, event_start, attribute, low, high, is_soft, first, last, least, out_event, out_item, size,
                *written,
            )  # fmt: skip
        else:
            size, is_marked = search_block(
                words, numbers, literals, instructions, set_words, group_ends, scored, lists, level_start, level,
                literal_start, event_start, attribute, low, high, is_soft, first, last, least, out_event, out_item, size,
            )  # fmt: skip
        if size < 0:
            return first, before, True
        any_marked |= is_marked
        first = last
    return count, size, any_marked
