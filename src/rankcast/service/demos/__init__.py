"""The built-in demo datasets ("worlds"): bundled data, streamed at a chosen speed, and users to receive it."""

from rankcast.service.demos.market import MARKET
from rankcast.service.demos.movies import MOVIES
from rankcast.service.demos.stream import SPEEDS, WORLDS, DemoStream, Playable, StreamState, stream_of, world
from rankcast.service.demos.world import Script, World

__all__ = [
    "MARKET",
    "MOVIES",
    "SPEEDS",
    "WORLDS",
    "DemoStream",
    "Playable",
    "Script",
    "StreamState",
    "World",
    "stream_of",
    "world",
]
