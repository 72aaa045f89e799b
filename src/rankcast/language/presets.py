"""Presets: named policies, each defined by a few fields of the JSON form."""

from collections.abc import Mapping
from typing import NamedTuple

from rankcast.errors import RecordError, did_you_mean
from rankcast.model import FilterKind, Update
from rankcast.plain import JsonObject


class Preset(NamedTuple):
    """The description of a preset, and its fields."""

    meaning: str
    fields: Mapping[str, object]


PRESETS: Mapping[str, Preset] = {
    "only the best": Preset(
        "once a day, the three events of the highest rank",
        {"mode": "periodic", "length": "1d", "k": 3},
    ),
    "balanced": Preset(
        "as it happens, what is among the five best of the last hundred: liked, not seen lately, new, and different",
        {
            "mode": "sliding",
            "length": 100,
            "k": 5,
            "sigma": 0.7,
            "score": {"preference": 0.5, "novelty": 0.3, "recency": 0.2},
        },
    ),
    "surprise me": Preset(
        "every fifth event, those of the subscriptions that came up least",
        {
            "filter": {"novelty": "threshold", "rate": 0.2, "period": 100, "update": "paced"},
            "score": {"preference": 0.2, "novelty": 0.8},
        },
    ),
    "calm": Preset(
        "once a day at most five, out of the better fifth, and no two alike",
        {
            "mode": "periodic",
            "length": "1d",
            "k": 5,
            "sigma": 0.5,
            "score": {"preference": 0.6, "novelty": 0.4},
            "filter": {"novelty": "threshold", "scoring": "score", "rate": 0.2, "period": 100, "update": "paced"},
        },
    ),
    "headlines": Preset(
        "as it happens, the three best of the last hour, the newer the better",
        {
            "mode": "sliding",
            "length": "1h",
            "k": 3,
            "score": {"preference": 0.4, "recency": 0.4, "authority": 0.2},
            "half_life": "20m",
        },
    ),
}
"""The presets by name. A policy that names one may still override any field."""


def preset_fields(name: str) -> Mapping[str, object]:
    """The fields of a preset.

    >>> preset_fields("only the best")["k"]
    3
    """
    if name not in PRESETS:
        raise RecordError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}{did_you_mean(name, PRESETS)}")
    return PRESETS[name].fields


def filter_of_kind(kept: Mapping[str, object], kind: str) -> JsonObject:
    """The fields of a filter that a person sets to another kind, on the page or by a command.

    A new threshold filter is paced, so that it spends its share. Other kinds cannot be paced.

    >>> filter_of_kind({"rate": 0.2}, "threshold")
    {'rate': 0.2, 'novelty': 'threshold', 'update': 'paced'}
    >>> filter_of_kind({"rate": 0.2, "novelty": "threshold", "update": "paced"}, "sampling")
    {'rate': 0.2, 'novelty': 'sampling'}
    """
    changed = {**kept, "novelty": kind}
    if kept.get("novelty") == kind:
        return changed
    if kind == FilterKind.THRESHOLD.value:
        return {**changed, "update": kept.get("update", Update.PACED.value)}
    if kept.get("update") == Update.PACED.value:
        del changed["update"]
    return changed
