"""The compiled matching index: the subscriptions that an event matches, without looking at the others."""

from rankcast.match.index.matcher import IndexMatcher, Pairs

__all__ = ["IndexMatcher", "Pairs"]
