"""The compiled matching index: the subscriptions that an event matches, without looking at the others."""

from rankcast.match.index.files import read_index, write_index
from rankcast.match.index.live import LiveIndex
from rankcast.match.index.matcher import IndexMatcher
from rankcast.match.index.questions import Senses
from rankcast.match.index.segments import Found

__all__ = ["Found", "IndexMatcher", "LiveIndex", "Senses", "read_index", "write_index"]
