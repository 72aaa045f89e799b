"""The ready worlds: bundled data, streamed at a chosen speed to people with tastes of their own."""

from rankcast.serve.worlds.market import MARKET
from rankcast.serve.worlds.movies import MOVIES
from rankcast.serve.worlds.registry import WORLDS, stream_of, world
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
