"""Ranked publish/subscribe: the few events worth getting, for each subscriber, on Spark.

>>> import rankcast as rc
>>> ann = rc.user("ann").wants("genre = 'drama'").gets(top=1, per=2)
>>> films = [{"id": "a", "time": "2026-01-01", "genre": "drama"}, {"id": "b", "time": "2026-01-02", "genre": "drama"}]
>>> [one.event for one in rc.deliver(films, ann)]
['b']
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.frames import backtest, catalog, concept, deliver, events, explain, graph, match, relate, user
    from rankcast.model import Advertisement, Catalog, Concept, Delivery, Event, Policy, Preference, Subscription

__version__ = "0.1.0"

__all__ = [
    "Advertisement",
    "Catalog",
    "Concept",
    "Delivery",
    "Event",
    "Policy",
    "Preference",
    "Subscription",
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

_HOMES = {name: "rankcast.model" if name[0].isupper() else "rankcast.frames" for name in __all__}


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for, so that `import rankcast` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rankcast' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
