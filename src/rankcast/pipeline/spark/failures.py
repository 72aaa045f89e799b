"""Explanations of failed queries: what happened, and what to do."""

import re

from pyspark.sql.streaming.query import StreamingQuery

from rankcast import errors
from rankcast.errors import EnvironmentProblem, RankcastError, StoreError
from rankcast.store.places import without_passwords

_OURS = re.compile(
    r"rankcast\.errors\.(\w+): (.*?)(?=\n\S*\n|\n SQLSTATE|\nJVM stacktrace|\n=== |\n\n|\n\s+at |\Z)", re.DOTALL
)
"""An error of this package, which Spark passes on as the text of a Python traceback."""
_DAMAGED = frozenset(
    {
        "BATCH_METADATA_NOT_FOUND",
        "CANNOT_LOAD_STATE_STORE",
        "CHECKPOINT_FILE_CHECKSUM_VERIFICATION_FAILED",
        "MALFORMED_LOG_FILE",
        "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY",
        "STATE_STORE_ROW_CHECKSUM_VERIFICATION_FAILED",
        "STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
        "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
        "EOFException",
        "JsonParseException",
        "MalformedInputException",
        "ZipException",
    }
)
"""Spark's conditions and Java's classes that mean that a file of a checkpoint is damaged or gone."""
_NAME = re.compile(r"\b(?:[A-Z]+(?:_[A-Z]+)+|[A-Z]\w*(?:Exception|Error))\b")
# Spark gives no name to what follows: plain exceptions, which only their sentences tell apart.
_DAMAGED_TOLD = re.compile(
    r"Incomplete log file|batch \d+ doesn't exist|truncated|Error reading .*metadata|unsupported log version",
    re.IGNORECASE,
)
_BUSY = "Python worker failed to connect back"
_FULL = ("No space left on device", "Disk quota exceeded", "File too large")
"""How the operating system says it."""


def names_in(text: str) -> "dict[str, re.Match[str]]":
    """The conditions of Spark and the classes of Java that the text of an error names, and where."""
    return {found[0]: found for found in _NAME.finditer(text)}


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
    if any(told in text for told in _FULL):
        return EnvironmentProblem(
            f"no space is left where the checkpoint {checkpoint!r} or Spark's temporary files are; nothing is lost: make room, and "
            "start again"
        )
    if _BUSY in text:
        return EnvironmentProblem(
            "Spark has started a Python worker that did not answer within its 10 s: the machine is too busy, or short of memory; "
            "nothing is lost: start again"
        )
    named = [found for name, found in names_in(text).items() if name in _DAMAGED]
    damaged = named[0] if named else _DAMAGED_TOLD.search(text)
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
