"""The relation between two subscriptions, and posets of many (SPEC 1)."""

from rankcast.cover.drawing import draw
from rankcast.cover.graph import GraphMatch, Interest, Node, SubscriptionGraph
from rankcast.cover.normal import NormalForm, normal_form
from rankcast.cover.poset import Poset
from rankcast.cover.relation import Relation, covers, relate
from rankcast.cover.strict_covers import StrictCovers

__all__ = [
    "GraphMatch",
    "Interest",
    "Node",
    "NormalForm",
    "Poset",
    "Relation",
    "StrictCovers",
    "SubscriptionGraph",
    "covers",
    "draw",
    "normal_form",
    "relate",
]
