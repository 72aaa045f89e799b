"""Producer-side top-k: who receives a publication, and which subscriptions a broker must know to decide that.

See semantics: Producer-side top-k.
"""

from rankcast.overlay.broker import Broker
from rankcast.overlay.distance import distance
from rankcast.overlay.extent import AdvertisedSpace, Extent, extent
from rankcast.overlay.functions import (
    NO_FUNCTIONS,
    CatalogFunctions,
    Custom,
    RankingFunction,
    Score,
    functions_of,
    register_scorer,
    registered_scorer,
    registered_scorers,
    use_functions,
)
from rankcast.overlay.items import (
    EVERYTHING,
    PLAIN,
    AdvertisedItem,
    BrokerItem,
    SubscribedItem,
    WantsEverything,
    item_of_json,
    key_of,
)
from rankcast.overlay.knowledge import Knowledge
from rankcast.overlay.lots import draw, lot, lots, urn
from rankcast.overlay.order import KnownSubscription, Order, Standing
from rankcast.overlay.publications import Admission, admitted, advertisement_of, check_publication
from rankcast.overlay.recipients import Finder, Matched, place_of, recipients
from rankcast.overlay.scorers import (
    Area,
    MatchDegree,
    MeaningOf,
    PreferenceScore,
    Scorer,
    Selectivity,
    Weight,
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
    concerned,
    forwarded,
    order_of,
)
from rankcast.overlay.traffic import BrokerMessage, Traffic
from rankcast.overlay.tree import Tree, parse_topology

__all__ = [
    "EVERYTHING",
    "NO_FUNCTIONS",
    "PLAIN",
    "STRATEGIES",
    "Admission",
    "AdvertisedItem",
    "AdvertisedSpace",
    "AncestorCoverK",
    "AncestorFairK",
    "Area",
    "Broker",
    "BrokerItem",
    "BrokerMessage",
    "CatalogFunctions",
    "Custom",
    "Extent",
    "Finder",
    "Knowledge",
    "KnownSubscription",
    "MatchDegree",
    "Matched",
    "MeaningOf",
    "Order",
    "Overlay",
    "PreferenceScore",
    "PublicationTrace",
    "RankCoverK",
    "RankingFunction",
    "RegularCover",
    "RegularK",
    "Score",
    "Scorer",
    "Selectivity",
    "Standing",
    "Strategy",
    "SubscribedItem",
    "Traffic",
    "Tree",
    "WantsEverything",
    "Weight",
    "admitted",
    "advertisement_of",
    "check_publication",
    "concerned",
    "distance",
    "draw",
    "extent",
    "forwarded",
    "functions_of",
    "item_of_json",
    "key_of",
    "lot",
    "lots",
    "order_of",
    "parse_topology",
    "place_of",
    "recipients",
    "register_scorer",
    "registered_scorer",
    "registered_scorers",
    "scorer_of",
    "urn",
    "use_functions",
]
