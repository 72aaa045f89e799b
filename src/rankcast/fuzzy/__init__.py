"""Approximate matching: hedged concepts and crisp sets compared with possibility distributions.

See semantics: Approximate matching.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankcast.fuzzy.cuts import AlphaCut, PredicateCuts, Span, ValueOutline, alpha_cut, cuts_of, outline_of
from rankcast.fuzzy.joint import ValueCondition, joint_necessity, joint_possibility
from rankcast.fuzzy.measures import degree, possibility_necessity, set_possibility_necessity

if TYPE_CHECKING:
    from rankcast.fuzzy.batch import (
        Hedged,
        Polylines,
        batch_degree,
        batch_possibility_necessity,
        polyline_possibility_necessity,
    )
    from rankcast.fuzzy.mining import MiningResult, mine, numbers_asked_for
    from rankcast.fuzzy.partition import Cluster, Scale
    from rankcast.fuzzy.summary import NumberSummary, digits_for
    from rankcast.fuzzy.value_mining import ValueMiningResult, mine_values
    from rankcast.fuzzy.value_summary import ValueSummary

__all__ = [
    "AlphaCut",
    "Cluster",
    "Hedged",
    "MiningResult",
    "NumberSummary",
    "Polylines",
    "PredicateCuts",
    "Scale",
    "Span",
    "ValueCondition",
    "ValueMiningResult",
    "ValueOutline",
    "ValueSummary",
    "alpha_cut",
    "batch_degree",
    "batch_possibility_necessity",
    "cuts_of",
    "degree",
    "digits_for",
    "joint_necessity",
    "joint_possibility",
    "mine",
    "mine_values",
    "numbers_asked_for",
    "outline_of",
    "polyline_possibility_necessity",
    "possibility_necessity",
    "set_possibility_necessity",
]

# These need numpy, which takes as long to load as the rest of the library, so they are loaded on first use.
_WITH_ARRAYS = {
    "batch": ("Hedged", "Polylines", "batch_degree", "batch_possibility_necessity", "polyline_possibility_necessity"),
    "mining": ("MiningResult", "mine", "numbers_asked_for"),
    "partition": ("Cluster", "Scale"),
    "summary": ("NumberSummary", "digits_for"),
    "value_mining": ("ValueMiningResult", "mine_values"),
    "value_summary": ("ValueSummary",),
}
_HOME = {name: module for module, names in _WITH_ARRAYS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
