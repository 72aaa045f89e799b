"""The Spark data source ``rankcast``: a store's event log, catalog and deliveries, as batches and as streams."""

from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    SimpleDataSourceStreamReader,
)
from pyspark.sql.types import StructType

from rankcast.errors import ModelError
from rankcast.pipeline.spark.source_readers import BatchReader, PipelineReader, StreamReader
from rankcast.pipeline.spark.source_tables import TABLES, Options

__all__ = ["RankcastSource", "register"]


def register(spark: SparkSession) -> None:
    """Let this session know ``spark.read.format("rankcast")`` and ``spark.readStream.format("rankcast")``.

    Options
    -------
    store
        The path or URL of the store.
    table
        `events` (default): event_offset, catalog_version, id, time, content (JSON), logged.
        `catalog`: version, removed, record (JSON): every change.
        `deliveries`: number, user, event, seq, rank, subscriptions, published, forwarded, window, served, matched, received.
    startingOffset
        Leave out what comes up to this offset, version or number; 0 by default. `latest` for what is there now.
    startingTime
        Of events: begin with the first that was published at this time or later.
    maxEventsPerTrigger
        How many rows a micro-batch of a stream has at most; of the catalog, versions.
    """
    spark.dataSource.register(RankcastSource)


class RankcastSource(DataSource):
    """One table of a store."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._options = Options.of(dict(options))

    @classmethod
    def name(cls) -> str:
        """What follows `format`."""
        return "rankcast"

    def schema(self) -> StructType | str:
        """The columns of the table."""
        return TABLES[self._options.table].schema

    def reader(self, schema: StructType) -> DataSourceReader:
        """All of the table, in one partition for each core."""
        if TABLES[self._options.table].is_pipeline:
            raise ModelError(f"the table {self._options.table!r} is for pipelines, which read it as a stream")
        return BatchReader(self._options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """The table as it grows; of a pipeline's, Spark is told that there is only the simple reader."""
        if TABLES[self._options.table].is_pipeline:
            return super().streamReader(schema)  # raises
        return StreamReader(self._options)

    def simpleStreamReader(self, schema: StructType) -> SimpleDataSourceStreamReader:  # noqa: N802
        """What a pipeline reads."""
        return PipelineReader(self._options)
