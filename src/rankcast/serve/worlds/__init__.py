"""The ready worlds: bundled data, streamed at a chosen speed to people with tastes of their own."""

from weakref import WeakKeyDictionary

from rankcast.errors import RankcastError, did_you_mean
from rankcast.serve.worlds.market import MARKET
from rankcast.serve.worlds.movies import MOVIES
from rankcast.serve.worlds.stream import SPEEDS, Playable, State, Stream
from rankcast.serve.worlds.world import Script, World

__all__ = [
    "MARKET",
    "MOVIES",
    "SPEEDS",
    "WORLDS",
    "Playable",
    "Script",
    "State",
    "Stream",
    "World",
    "stream_of",
    "world",
]

WORLDS = {world.name: world for world in (MOVIES, MARKET)}
"""The worlds by name."""


def world(name: str) -> World:
    """The world of that name.

    >>> world("movies").title
    'Films'
    """
    if name not in WORLDS:
        near = did_you_mean(name, WORLDS) or f"; there are {', '.join(WORLDS)}"
        raise RankcastError(f"there is no world {name!r}{near}")
    return WORLDS[name]


_STREAMS: "WeakKeyDictionary[Playable, dict[str, Stream]]" = WeakKeyDictionary()


def stream_of(service: Playable, name: str) -> Stream:
    """The one stream by which a world is played to a service; whoever asks gets the same."""
    return _STREAMS.setdefault(service, {}).setdefault(name, Stream(world(name), service))
