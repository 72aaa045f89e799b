"""The compiled matching index: the subscriptions that an event matches, without looking at the others."""

from rankcast.match.index.files import read_index, write_index
from rankcast.match.index.live import LiveIndex
from rankcast.match.index.matcher import IndexMatcher, Pairs
from rankcast.match.index.segments import Found, Senses

__all__ = ["Found", "IndexMatcher", "LiveIndex", "Pairs", "Senses", "read_index", "write_index"]
