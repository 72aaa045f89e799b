"""The built-in demo datasets by name, and the one stream of each dataset into a service."""

from weakref import WeakKeyDictionary

from rankcast.errors import RankcastError, did_you_mean
from rankcast.service.demos.market import MARKET
from rankcast.service.demos.movies import MOVIES
from rankcast.service.demos.stream import DemoStream, Playable
from rankcast.service.demos.world import World

__all__ = ["WORLDS", "stream_of", "world"]

WORLDS = {world.name: world for world in (MOVIES, MARKET)}
"""The demo datasets by name."""

_STREAMS: "WeakKeyDictionary[Playable, dict[str, DemoStream]]" = WeakKeyDictionary()


def world(name: str) -> World:
    """The demo dataset of that name.

    >>> world("movies").title
    'Films'
    """
    if name not in WORLDS:
        near = did_you_mean(name, WORLDS) or f"; there are {', '.join(WORLDS)}"
        raise RankcastError(f"there is no world {name!r}{near}")
    return WORLDS[name]


def stream_of(service: Playable, name: str) -> DemoStream:
    """The stream of a demo dataset into a service. All callers share the same one."""
    return _STREAMS.setdefault(service, {}).setdefault(name, DemoStream(world(name), service))
