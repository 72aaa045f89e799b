"""The relation between two subscriptions, and posets of many (semantics: Events and subscriptions)."""

from rankcast.cover.drawing import draw
from rankcast.cover.graph import GraphMatch, Node, NodeInterest, SubscriptionGraph
from rankcast.cover.normal import NormalForm, normal_form
from rankcast.cover.poset import Poset
from rankcast.cover.relation import Relation, covers, relate
from rankcast.cover.strict_covers import StrictCovers

__all__ = [
    "GraphMatch",
    "Node",
    "NodeInterest",
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
