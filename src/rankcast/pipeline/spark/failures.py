"""Explanations of failed queries: what happened, and what to do."""

import re

from pyspark.sql.streaming.query import StreamingQuery

from rankcast import errors
from rankcast.errors import EnvironmentProblem, RankcastError, StoreError
from rankcast.store.places import without_passwords

__all__ = ["explain", "wait_for"]

_OURS = re.compile(
    r"rankcast\.errors\.(\w+): (.*?)(?=\n\S*\n|\n SQLSTATE|\nJVM stacktrace|\n=== |\n\n|\n\s+at |\Z)", re.DOTALL
)
_DAMAGED = re.compile(
    r"STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY|Incomplete log file|INCOMPLETE_LOG|CANNOT_LOAD_STATE_STORE|UNRELEASED_THREAD|CANNOT_READ_STREAMING_STATE_FILE|"
    r"CANNOT_READ_DELTA_FILE|CANNOT_READ_MISSING_SNAPSHOT_FILE|CANNOT_READ_SNAPSHOT_FILE|CHECKPOINT_FILE_CHECKSUM|"
    r"batch \d+ doesn't exist|MISSING_OFFSET|EOFException|ZipException|truncated|Error reading .*metadata|"
    r"Unrecognized token|unsupported log version|MalformedInput|malformedLogFile",
    re.IGNORECASE,
)
_BUSY = "Python worker failed to connect back"
_FULL = re.compile(r"No space left on device|Disk quota exceeded|File too large")


def explain(error: BaseException, checkpoint: str = "") -> RankcastError | None:
    """The error that a pipeline raised, or the meaning of an error of Spark; None if there is nothing to add."""
    text = without_passwords(str(error))
    ours = _OURS.search(text)
    if ours is not None:
        kind = getattr(errors, ours[1], RankcastError)
        try:
            return kind(ours[2].strip()) if issubclass(kind, RankcastError) else None
        except TypeError:
            return RankcastError(ours[2].strip())
    if _FULL.search(text):
        return EnvironmentProblem(
            f"no space is left where the checkpoint {checkpoint!r} or Spark's temporary files are; nothing is lost: make room, and "
            "start again"
        )
    if _BUSY in text:
        return EnvironmentProblem(
            "Spark has started a Python worker that did not answer within its 10 s: the machine is too busy, or short of memory; "
            "nothing is lost: start again"
        )
    damaged = _DAMAGED.search(text)
    if damaged is not None:
        return StoreError(
            f"the checkpoint {checkpoint!r} is damaged ({_line(text, damaged)}); put a copy of it in its place, or make the delivery "
            "state anew out of the event log with: rankcast state rebuild"
        )
    return None


def wait_for(query: StreamingQuery, seconds: float | None = None, checkpoint: str = "") -> bool:
    """Wait until a query ends, or for some seconds. Returns whether it has ended.

    If the query failed, raises the explained error.
    """
    try:
        if seconds is None:
            query.awaitTermination()
            return True
        return bool(query.awaitTermination(seconds))  # type: ignore[arg-type]  # fractions count, too
    except Exception as error:
        explained = explain(error, checkpoint)
        if explained is None:
            raise
        raise explained from error


def _line(text: str, found: "re.Match[str]") -> str:
    """The line that contains a match, with white space collapsed, in at most 300 characters."""
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    line = " ".join(text[start : len(text) if end < 0 else end].split())
    return line if len(line) <= 300 else f"{line[:300]}…"
