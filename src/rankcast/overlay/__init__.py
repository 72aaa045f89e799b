"""Producer-side top-k: who gets a publication, and which subscriptions brokers need to know for it (SPEC 7)."""

from rankcast.overlay.distance import distance
from rankcast.overlay.extent import Extent, Space, extent
from rankcast.overlay.lots import draw, lot
from rankcast.overlay.publications import Admission, admitted, advertisement_of, check_publication
from rankcast.overlay.recipients import Matched, recipients
from rankcast.overlay.scorers import (
    Area,
    Custom,
    Degree,
    MeaningOf,
    Preferred,
    Score,
    Scorer,
    Selectivity,
    Weight,
    meanings_of,
    scorer_of,
)

__all__ = [
    "Admission",
    "Area",
    "Custom",
    "Degree",
    "Extent",
    "Matched",
    "MeaningOf",
    "Preferred",
    "Score",
    "Scorer",
    "Selectivity",
    "Space",
    "Weight",
    "admitted",
    "advertisement_of",
    "check_publication",
    "distance",
    "draw",
    "extent",
    "lot",
    "meanings_of",
    "recipients",
    "scorer_of",
]
