"""The compiled matching index: finds the subscriptions that an event matches without looking at the others."""

from rankcast.engine.index.files import read_index, write_index
from rankcast.engine.index.live import LiveIndex
from rankcast.engine.index.matcher import IndexMatcher
from rankcast.engine.index.questions import Senses
from rankcast.engine.index.segments import SegmentMatches

__all__ = ["IndexMatcher", "LiveIndex", "SegmentMatches", "Senses", "read_index", "write_index"]
