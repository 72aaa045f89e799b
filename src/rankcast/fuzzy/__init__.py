"""Approximate matching: hedged concepts and crisp sets against possibility distributions (SPEC 6)."""

from rankcast.fuzzy.measures import degree, possibility_necessity, set_possibility_necessity

__all__ = ["degree", "possibility_necessity", "set_possibility_necessity"]
