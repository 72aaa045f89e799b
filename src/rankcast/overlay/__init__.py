"""Producer-side top-k: who receives a publication, and which subscriptions a broker must know to decide that.

See semantics: Producer-side top-k.
"""

from rankcast.overlay.broker import Broker
from rankcast.overlay.distance import distance
from rankcast.overlay.extent import AdvertisedSpace, Extent, extent
from rankcast.overlay.finding import Finder
from rankcast.overlay.forwarding import concerned, forwarded, order_of
from rankcast.overlay.lots import draw, lot, lots, urn
from rankcast.overlay.order import KnownSubscription, Order, Standing
from rankcast.overlay.publications import Admission, admitted, advertisement_of, check_publication
from rankcast.overlay.recipients import Matched, place_of, recipients
from rankcast.overlay.routing import CONSUMERS, Router, Summary, summarise
from rankcast.overlay.scorers import (
    Area,
    Custom,
    MatchDegree,
    MeaningOf,
    PreferenceScore,
    Score,
    Scorer,
    Selectivity,
    Weight,
    meanings_of,
    scorer_of,
)
from rankcast.overlay.simulation import Overlay, PublicationTrace
from rankcast.overlay.strategies import (
    STRATEGIES,
    AncestorCoverK,
    AncestorFairK,
    RankCoverK,
    RegularCover,
    RegularK,
    Strategy,
)
from rankcast.overlay.traffic import BrokerMessage, Traffic
from rankcast.overlay.tree import Tree, parse_topology

__all__ = [
    "CONSUMERS",
    "STRATEGIES",
    "Admission",
    "AdvertisedSpace",
    "AncestorCoverK",
    "AncestorFairK",
    "Area",
    "Broker",
    "BrokerMessage",
    "Custom",
    "Extent",
    "Finder",
    "KnownSubscription",
    "MatchDegree",
    "Matched",
    "MeaningOf",
    "Order",
    "Overlay",
    "PreferenceScore",
    "PublicationTrace",
    "RankCoverK",
    "RegularCover",
    "RegularK",
    "Router",
    "Score",
    "Scorer",
    "Selectivity",
    "Standing",
    "Strategy",
    "Summary",
    "Traffic",
    "Tree",
    "Weight",
    "admitted",
    "advertisement_of",
    "check_publication",
    "concerned",
    "distance",
    "draw",
    "extent",
    "forwarded",
    "lot",
    "lots",
    "meanings_of",
    "order_of",
    "parse_topology",
    "place_of",
    "recipients",
    "scorer_of",
    "summarise",
    "urn",
]
