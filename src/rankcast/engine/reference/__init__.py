"""The reference engine: plain Python, one event and one user at a time.

It defines the results of every other engine.
"""

from rankcast.engine.reference.shard import Shard, replay, shard_of
from rankcast.engine.reference.subscriber import Subscriber

__all__ = ["Shard", "Subscriber", "replay", "shard_of"]
