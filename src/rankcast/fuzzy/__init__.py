"""Approximate matching: hedged concepts and crisp sets against possibility distributions (SPEC 6)."""

from rankcast.fuzzy.batch import Hedged, batch_degree, batch_possibility_necessity, polyline_possibility_necessity
from rankcast.fuzzy.cuts import Cut, Cuts, Outline, Span, alpha_cut, cuts_of, outline_of
from rankcast.fuzzy.measures import degree, possibility_necessity, set_possibility_necessity
from rankcast.fuzzy.polylines import Polylines

__all__ = [
    "Cut",
    "Cuts",
    "Hedged",
    "Outline",
    "Polylines",
    "Span",
    "alpha_cut",
    "batch_degree",
    "batch_possibility_necessity",
    "cuts_of",
    "degree",
    "outline_of",
    "polyline_possibility_necessity",
    "possibility_necessity",
    "set_possibility_necessity",
]
