"""Approximate matching: hedged concepts and crisp sets against possibility distributions (SPEC 6)."""

from rankcast.fuzzy.batch import Hedged, batch_degree, batch_possibility_necessity, polyline_possibility_necessity
from rankcast.fuzzy.cuts import Cut, Cuts, Outline, Span, alpha_cut, cuts_of, outline_of
from rankcast.fuzzy.measures import degree, possibility_necessity, set_possibility_necessity
from rankcast.fuzzy.mining import Mined, mine, numbers_asked_for
from rankcast.fuzzy.partition import Cluster, Scale
from rankcast.fuzzy.polylines import Polylines
from rankcast.fuzzy.summary import Summary, digits_for

__all__ = [
    "Cluster",
    "Cut",
    "Cuts",
    "Hedged",
    "Mined",
    "Outline",
    "Polylines",
    "Scale",
    "Span",
    "Summary",
    "alpha_cut",
    "batch_degree",
    "batch_possibility_necessity",
    "cuts_of",
    "degree",
    "digits_for",
    "mine",
    "numbers_asked_for",
    "outline_of",
    "polyline_possibility_necessity",
    "possibility_necessity",
    "set_possibility_necessity",
]
