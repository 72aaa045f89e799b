"""Rankcast's own files in a checkpoint, beside Spark's, wherever Spark can write."""

import os
from uuid import uuid4

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from rankcast.errors import StoreError

_PIPELINE = "rankcast-pipeline"


def pipeline_name(spark: SparkSession, checkpoint: str | os.PathLike[str]) -> str:
    """The name of the pipeline that owns a checkpoint. A new checkpoint gets a new name.

    The name stays the same after a crash in the first micro-batch, when Spark itself has not yet written anything
    that identifies the pipeline. It differs if the checkpoint was deleted and started again, so that this is
    detected.
    """
    known = kept_line(spark, checkpoint, _PIPELINE)
    if known is not None:
        return known
    name = uuid4().hex
    keep_line(spark, checkpoint, _PIPELINE, name)
    return name


def is_begun(spark: SparkSession, checkpoint: str | os.PathLike[str]) -> bool:
    """Whether a Spark query has used the checkpoint."""
    return _lines(spark, _place(checkpoint, "metadata")) is not None


def kept_line(spark: SparkSession, checkpoint: str | os.PathLike[str], name: str) -> str | None:
    """The line stored under a name; None if there is none or writing it was interrupted."""
    lines = _lines(spark, _place(checkpoint, name))
    if not lines:
        return None
    if len(lines) > 1:
        raise StoreError(f"{_place(checkpoint, name)!r} is damaged; restore the checkpoint from a backup")
    return lines[0]


def keep_line(spark: SparkSession, checkpoint: str | os.PathLike[str], name: str, line: str) -> None:
    """Store one line under a name."""
    frame = spark.range(1).select(f.lit(line).alias("value"))  # needs no Python worker, as a list of rows would
    frame.write.mode("overwrite").text(_place(checkpoint, name))


def _place(checkpoint: str | os.PathLike[str], name: str) -> str:
    return f"{os.fspath(checkpoint).rstrip('/')}/{name}"


def _lines(spark: SparkSession, place: str) -> list[str] | None:
    """The lines of a file, or of the files in a folder; None if it does not exist."""
    try:
        return [row.value for row in spark.read.text(place).collect()]
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return None
        raise
