"""What a shard reports to the sink beside its deliveries."""

import msgspec

from rankcast.model import Reject, SetAside


class ShardReport(msgspec.Struct, frozen=True):
    """The work of one shard on one micro-batch.

    `start` and `end` are offsets of the store's event log, or None if the events come from another source. `events`
    and `late` are the same in all shards, and so are `rejects`, but those of a log are reported by the first shard
    alone. `matches`, `state_bytes` and `set_aside` belong to the shard.
    Times are in microseconds. The micro-batch covers the positions (`seq`) `after` one event `up_to` another,
    whatever the source. `due` is when the clock ends the next period with pending candidates.
    """

    pipeline: str
    shard: int
    start: int | None
    end: int | None
    version: int
    events: int
    matches: int
    late: int
    rejects: list[tuple[str, str, int, str, str]]
    served: int
    matched: int
    seconds: float
    state_bytes: int
    after: int = 0
    up_to: int = 0
    set_aside: list[SetAside] = []
    due: int | None = None

    def kept(self) -> list[tuple[str, Reject]]:
        """The rejects with their keys."""
        return [(key, Reject(file, line, reason, raw)) for key, file, line, reason, raw in self.rejects]


def encode_report(report: ShardReport) -> bytes:
    """Encode a report."""
    return msgspec.msgpack.encode(report)


decode_report = msgspec.msgpack.Decoder(ShardReport).decode
