"""The API for notebooks and programs: tables in, tables out. `import rankcast` offers these names."""

from rankcast.frames.results import Deliveries, MatchTable
from rankcast.frames.serving import deliver, explain, match, relate
from rankcast.frames.tables import EventFrame, events
from rankcast.frames.users import User, catalog, user

__all__ = [
    "Deliveries",
    "EventFrame",
    "MatchTable",
    "User",
    "catalog",
    "deliver",
    "events",
    "explain",
    "match",
    "relate",
    "user",
]
