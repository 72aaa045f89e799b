"""Spark for a command, without the JVM's output on stderr."""

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rankcast.cli.output import Output
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from rankcast.model import Delivery, Event

_STDERR = 2


@contextmanager
def spark_session(out: Output, stage: str) -> "Iterator[tuple[SparkSession, Callable[[str], None]]]":
    """A session, and a function that takes the next stage of the work; `stage` is the one after Spark has started."""
    from rankcast.pipeline.spark import local_session

    with silenced(), out.working("starting Spark") as next_stage:
        session = local_session()
        next_stage(stage)
        yield session, next_stage


def event_frame(session: "SparkSession", events: "Sequence[Event]") -> "DataFrame":
    """The events in JSON form, in the column `event`."""
    import pyarrow as pa

    from rankcast.language import dumps, encode_event

    texts = [dumps(encode_event(event)) for event in events]
    return session.createDataFrame(pa.table({"event": pa.array(texts, pa.string())}))


def deliveries_of(rows: Sequence[JsonObject]) -> "list[Delivery]":
    """The deliveries of a job's rows, by window, user and seq."""
    from rankcast.model import Delivery

    found = (Delivery(**{**row, "subscriptions": tuple(row["subscriptions"])}) for row in rows)
    return sorted(found, key=lambda delivery: delivery.order)


@contextmanager
def silenced() -> Iterator[None]:
    """Discard what a JVM started inside this context writes to stderr, now and later. Python's own output is kept.

    A child process inherits file descriptor 2, not `sys.stderr`, so the two are separated for a while. With
    RANKCAST_DEBUG nothing is discarded.
    """
    if os.environ.get("RANKCAST_DEBUG"):
        yield
        return
    saved = os.dup(_STDERR)
    usual = sys.stderr
    if _number(usual) == _STDERR:
        sys.stderr = open(  # noqa: SIM115  it is closed with `saved`
            saved, "w", buffering=1, encoding=usual.encoding, errors=usual.errors, closefd=False
        )
    try:
        with tempfile.TemporaryFile() as noise, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.dup2(noise.fileno(), _STDERR)
            yield
    finally:
        sys.stderr = usual
        os.dup2(saved, _STDERR)
        os.close(saved)


def _number(stream: TextIO) -> int | None:
    """The file descriptor behind a stream, if there is one."""
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None
