"""What a shard tells the sink beside its deliveries."""

import msgspec

from rankcast.model import Reject, SetAside

__all__ = ["ShardReport", "decode_report", "encode_report"]


class ShardReport(msgspec.Struct, frozen=True):
    """What one shard did with one micro-batch.

    `start` and `end` are offsets of the store's event log, None if the events are from elsewhere. `events`, `late` and
    `rejects` are the same in all shards, `matches`, `state_bytes` and `set_aside` are the shard's own. Times are in microseconds.
    The micro-batch goes `after` a position (the `seq` of an event) `up_to` another, wherever the events are from. `due` is when the
    clock ends the next period in which something waits.
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
    """The report as bytes."""
    return msgspec.msgpack.encode(report)


decode_report = msgspec.msgpack.Decoder(ShardReport).decode
