"""The API for notebooks and programs: tables in, tables out. `import rankcast` offers these names."""

from rankcast.frames.backtests import Backtests, backtest
from rankcast.frames.concepts import DrawnConcept, concept
from rankcast.frames.graphs import CoverGraph, graph
from rankcast.frames.results import Deliveries, MatchTable
from rankcast.frames.serving import deliver, explain, match, relate
from rankcast.frames.tables import EventFrame, events
from rankcast.frames.users import User, catalog, user

__all__ = [
    "Backtests",
    "CoverGraph",
    "Deliveries",
    "DrawnConcept",
    "EventFrame",
    "MatchTable",
    "User",
    "backtest",
    "catalog",
    "concept",
    "deliver",
    "events",
    "explain",
    "graph",
    "match",
    "relate",
    "user",
]
