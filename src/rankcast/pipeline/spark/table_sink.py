"""Deliveries as a table of any format that Spark can append to and read: Parquet, ORC, Delta, Iceberg, JDBC and others.

Spark's executors write the rows. Beside the columns of a delivery, each row has the store, the pipeline and the end of the
range of its micro-batch. So a process that starts knows from the table how far it is. If a range does not continue from
there, the rows that the table has already are left out, by (user, event). This also holds for a format that writes a part
of a micro-batch when it is killed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from rankcast.errors import ModelError, StoreError
from rankcast.pipeline.spark.repeats import SinkProgress
from rankcast.pipeline.spark.sinks import FrameSink, MicroBatchResult

_ORIGIN = ("store", "pipeline", "up_to")
_ABSENT = (
    "PATH_NOT_FOUND",
    "TABLE_OR_VIEW_NOT_FOUND",
    "UNABLE_TO_INFER_SCHEMA",
    "DELTA_TABLE_NOT_FOUND",
    "DELTA_PATH_DOES_NOT_EXIST",
)
"""Conditions of Spark and its formats that mean that there is no table yet."""

_progress: dict[tuple[str, str], SinkProgress] = {}


@dataclass(frozen=True)
class TableSink(FrameSink):
    """Appends deliveries to a table, with a format and options for Spark's reader and writer."""

    format: str
    options: Mapping[str, str]

    @classmethod
    def of(cls, name: str) -> "TableSink":
        """Parse ``table:FORMAT?OPTION=VALUE&…``, as in ``table:orc?path=/data/sent``.

        >>> TableSink.of("table:delta?path=s3a://bucket/sent&mergeSchema=true")
        TableSink(format='delta', options={'path': 's3a://bucket/sent', 'mergeSchema': 'true'})
        """
        what, _, query = name.partition("?")
        options = dict(parse_qsl(query, keep_blank_values=True))
        if not what.removeprefix("table:") or not options:
            raise ModelError(
                f"{name!r} names no table; write table:FORMAT?OPTION=VALUE, as in table:orc?path=/data/sent"
            )
        return cls(what.removeprefix("table:"), options)

    def append(self, made: MicroBatchResult, deliveries: DataFrame) -> None:
        """Append the deliveries that the table does not have yet."""
        key = (repr(self), made.pipeline)
        progress = _progress.pop(key, None) or self._begun(deliveries.sparkSession, made)
        since = progress.compared_since(made)
        if since is not None:
            found = self._read(deliveries.sparkSession)
            if found is not None:
                of_range = (f.col("pipeline") == made.pipeline) & (f.col("up_to") >= since)
                deliveries = deliveries.join(found.where(of_range), ["user", "event"], "left_anti")
        origin = (made.store, made.pipeline, made.up_to)
        rows = deliveries.select(
            "*", *(f.lit(value).cast(_type(value)).alias(name) for name, value in zip(_ORIGIN, origin, strict=True))
        )
        rows.write.format(self.format).options(**self.options).mode("append").save()
        progress.wrote(made)
        _progress[key] = progress

    def _begun(self, spark: SparkSession, made: MicroBatchResult) -> SinkProgress:
        """The progress of the pipeline in the table. Raises StoreError if the table belongs to somebody else."""
        found = self._read(spark)
        if found is None:
            return SinkProgress(-1)
        if not {"user", "event", *_ORIGIN} <= {*found.columns}:
            raise StoreError(
                f"{self} has other columns ({', '.join(found.columns)}): no pipeline of Rankcast wrote it; choose another table"
            )
        known = found.groupBy("store", "pipeline").agg(f.max("up_to").alias("up_to")).collect()
        if any(row.store != made.store for row in known):
            raise StoreError(f"{self} has the deliveries of another store; choose another table for this one")
        return SinkProgress(max((row.up_to for row in known if row.pipeline == made.pipeline), default=-1))

    def _read(self, spark: SparkSession) -> DataFrame | None:
        """The table; None if there is none yet."""
        try:
            found = spark.read.format(self.format).options(**self.options).load()
            return found if found.columns else None
        except AnalysisException as error:
            if error.getCondition() in _ABSENT:
                return None
            raise

    def __str__(self) -> str:
        return f"the table of format {self.format} at {self.options.get('path') or self.options.get('dbtable')!r}"


def _type(value: object) -> str:
    return "long" if isinstance(value, int) else "string"
