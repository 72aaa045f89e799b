"""The relation between two subscriptions, and posets of many (SPEC 1)."""

from rankcast.cover.normal import NormalForm, normal_form
from rankcast.cover.poset import Poset
from rankcast.cover.relation import Relation, covers, relate

__all__ = ["NormalForm", "Poset", "Relation", "covers", "normal_form", "relate"]
