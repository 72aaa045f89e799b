"""Approximate matching: hedged concepts and crisp sets against possibility distributions (SPEC 6)."""

from rankcast.fuzzy.batch import Hedged, batch_degree, batch_possibility_necessity, polyline_possibility_necessity
from rankcast.fuzzy.measures import degree, possibility_necessity, set_possibility_necessity
from rankcast.fuzzy.polylines import Polylines

__all__ = [
    "Hedged",
    "Polylines",
    "batch_degree",
    "batch_possibility_necessity",
    "degree",
    "polyline_possibility_necessity",
    "possibility_necessity",
    "set_possibility_necessity",
]
