"""The relation between two subscriptions, and partial orders of many (semantics: Events and subscriptions)."""

from rankcast.cover.drawing import draw
from rankcast.cover.graph import GraphMatch, Node, NodeInterest, SubscriptionGraph
from rankcast.cover.normal import MOST_COMPARISONS, NormalForm, normal_form
from rankcast.cover.poset import Poset
from rankcast.cover.relation import Relation, covers, relate
from rankcast.cover.weights import ExpressionWeight, weight_of

__all__ = [
    "MOST_COMPARISONS",
    "ExpressionWeight",
    "GraphMatch",
    "Node",
    "NodeInterest",
    "NormalForm",
    "Poset",
    "Relation",
    "SubscriptionGraph",
    "covers",
    "draw",
    "normal_form",
    "relate",
    "weight_of",
]
