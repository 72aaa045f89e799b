"""Rankcast on Spark: DataFrames of events in, DataFrames of matches and deliveries out.

Nothing here relies on the order of rows or changes the user's session. Only `summarise` and `summarise_values`, which
do not return a DataFrame, run actions. Everything works in a classic session and under Spark Connect. `serve_store`
runs the live pipeline of a store, and `serve_team` a team on a stream.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from rankcast.extras import require as _require

if TYPE_CHECKING:
    from rankcast.pipeline.spark.backtests import backtest, backtest_measures, backtest_overlap
    from rankcast.pipeline.spark.batch import deliver, rejects, set_aside
    from rankcast.pipeline.spark.matching import match, recipients
    from rankcast.pipeline.spark.measuring import measures
    from rankcast.pipeline.spark.mining import summarise, summarise_store, summarise_values, values_of
    from rankcast.pipeline.spark.session import local_session
    from rankcast.pipeline.spark.source import register
    from rankcast.pipeline.spark.stream import serve_store
    from rankcast.pipeline.spark.team import deliver_to_team, serve_team

_require("spark")

__all__ = [
    "backtest",
    "backtest_measures",
    "backtest_overlap",
    "deliver",
    "deliver_to_team",
    "local_session",
    "match",
    "measures",
    "recipients",
    "register",
    "rejects",
    "serve_store",
    "serve_team",
    "set_aside",
    "summarise",
    "summarise_store",
    "summarise_values",
    "values_of",
]

# Spark starts half a dozen Python processes for one query, and each imports some module of this package. So the others
# are loaded on first use. No module may have the name of a function, which it would hide.
_MODULES = {
    "backtests": ("backtest", "backtest_measures", "backtest_overlap"),
    "batch": ("deliver", "rejects", "set_aside"),
    "matching": ("match", "recipients"),
    "measuring": ("measures",),
    "mining": ("summarise", "summarise_store", "summarise_values", "values_of"),
    "session": ("local_session",),
    "source": ("register",),
    "stream": ("serve_store",),
    "team": ("deliver_to_team", "serve_team"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
