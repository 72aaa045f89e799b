"""The messages between Spark's workers and the processes that hold shards."""

import traceback

import msgspec

from rankcast.errors import RankcastError


class HostSettings(msgspec.Struct, frozen=True):
    """How the shards of a query are served.

    `store` is the store's URL, empty for a fixed catalog. `is_log` means that the rows are those of the store's event
    log. Otherwise they are events from another source (as JSON if `is_json`). `lateness` and `max_ahead` are in
    microseconds. `journal` is the parameter of `LiveShard`.
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
    asks_for_matches: bool = False
    """Whether the processes that hold shards ask the one that matches for a log's ranges. Otherwise Spark brings them."""


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """A packed part of a micro-batch: its kind and its bytes."""

    kind: int
    blob: bytes


class MatchRequest(msgspec.Struct, frozen=True, tag=True):
    """Match a range of a store's log for all shards. With `looks_ahead`, go on with what follows it.

    `run` is that of `HostSettings`: another one may find another log at the same place. The answer has the part of each
    shard by itself. If `of` is given, (r, n), it has the parts of the shards r, r + n, r + 2n, … together; then the
    process keeps the others for the requests that follow.
    """

    run: str
    store: str
    shards: int
    after: int
    up_to: int
    looks_ahead: bool
    of: tuple[int, int] | None = None


class TakeRequest(msgspec.Struct, frozen=True, tag=True):
    """Take and match the events of a micro-batch from another source than the log, for all shards.

    `key` identifies the events and the state of the intake before them. If the process does not know the result, it
    asks for the rest: the frames, the state of the intake as JSON (empty at the start), and the records of a fixed
    catalog.
    """

    settings: HostSettings
    shard: int
    key: bytes
    frames: list[Frame] | None = None
    intake: bytes = b""
    catalog: bytes = b""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to any request: the `error`, if it failed (`failure_of`)."""

    error: tuple[str, str] | None = None


class TakeAnswer(Answer, frozen=True):
    """What the shard gets (`rankcast.pipeline.spark.live.topics.TakenPart`), or that frames are needed."""

    needs_frames: bool = False
    part: bytes = b""


class MatchAnswer(Answer, frozen=True):
    """What each shard gets of the range (`rankcast.pipeline.spark.live.matched`).

    If several shards asked together, there is one `HostRange`.
    """

    ranges: list[bytes] = []


class Request(msgspec.Struct, frozen=True, tag=True):
    """Serve a micro-batch if the shard is alive with this token; otherwise restore it from `saved` first.

    `saved` is the head (empty if there is none yet), the pages and the journal. `catalog` holds the records of a
    fixed catalog. So many `processes` of this machine hold the shards, in turn.
    """

    settings: HostSettings
    shard: int
    token: str
    frames: list[Frame]
    saved: tuple[bytes, dict[int, bytes], dict[int, bytes]] | None = None
    catalog: bytes = b""
    processes: int = 1


class HostAnswer(Answer, frozen=True):
    """The result of a request.

    Either the shard needs its saved state (`needs_saved`), or it was served. `deliveries` is an Arrow stream, empty if
    there are none. `report` is encoded (`rankcast.pipeline.spark.live.reports`).
    """

    needs_saved: bool = False
    token: str = ""
    head: bytes = b""
    pages: dict[int, bytes] = {}
    journal: dict[int, bytes] = {}
    gone: list[int] = []
    deliveries: bytes = b""
    report: bytes = b""


def failure_of(error: Exception) -> tuple[str, str]:
    """An error in an answer: the name of its class and its text. For an unexpected one: no name, and the traceback."""
    if isinstance(error, RankcastError):
        return type(error).__name__, str(error)
    return "", "".join(traceback.format_exception(error))


def encode(message: object) -> bytes:
    """Encode a message."""
    return msgspec.msgpack.encode(message)


decode_request = msgspec.msgpack.Decoder(Request | MatchRequest | TakeRequest).decode
