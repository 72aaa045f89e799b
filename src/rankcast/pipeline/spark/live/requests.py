"""What Spark's workers and the processes that hold shards say to each other."""

import msgspec

__all__ = ["Frame", "HostAnswer", "HostSettings", "Request"]


class HostSettings(msgspec.Struct, frozen=True):
    """How the shards of a query are served.

    `store` is the store's URL, empty for a fixed catalog. `is_log` if the rows are those of the store's event log, else they
    are events from elsewhere (as JSON if `is_json`). `lateness` and `max_ahead` are in microseconds. `journal` as of `LiveShard`.
    """

    run: str
    place: str
    shards: int
    store: str
    is_log: bool
    is_json: bool
    lateness: int | None
    journal: int
    max_ahead: int | None = None


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """A packed part of a micro-batch: which kind, and the bytes."""

    kind: int
    blob: bytes


class Request(msgspec.Struct, frozen=True):
    """Serve a micro-batch, if the shard is alive with this token; `saved` brings it to life if it is not.

    `saved` is the head (empty if there is none yet), the pages and the journal; `catalog`, the records of a fixed catalog.
    """

    settings: HostSettings
    shard: int
    token: str
    frames: list[Frame]
    saved: tuple[bytes, dict[int, bytes], dict[int, bytes]] | None = None
    catalog: bytes = b""


class HostAnswer(msgspec.Struct, frozen=True):
    """What a request led to: the shard is not alive (`needs_saved`), it failed (`error`), or all the rest.

    `deliveries` is an Arrow stream; `report`, what the sink has to know besides (`rankcast.pipeline.spark.live.reports`).
    """

    needs_saved: bool = False
    error: tuple[str, str] | None = None
    token: str = ""
    head: bytes = b""
    pages: dict[int, bytes] = {}
    journal: dict[int, bytes] = {}
    gone: list[int] = []
    deliveries: bytes = b""
    report: bytes = b""


def encode(message: object) -> bytes:
    """A message as bytes."""
    return msgspec.msgpack.encode(message)


decode_request = msgspec.msgpack.Decoder(Request).decode
decode_answer = msgspec.msgpack.Decoder(HostAnswer).decode
