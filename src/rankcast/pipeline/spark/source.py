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
from rankcast.model import Catalog
from rankcast.pipeline.spark.source_readers import BatchReader, LogPipelineReader, PipelineReader, StreamReader
from rankcast.pipeline.spark.source_tables import TABLES, Options


def register(spark: SparkSession, catalog: Catalog | None = None) -> None:
    """Register ``spark.read.format("rankcast")`` and ``spark.readStream.format("rankcast")`` in a session.

    With a catalog, also register its table functions for SQL, `rankcast_match` and `rankcast_deliver`
    (`rankcast.pipeline.spark.table_functions`).

    Options
    -------
    store
        The path or URL of the store.
    table
        `events` (default): event_offset, catalog_version, id, time, content (JSON), logged.
        `catalog`: version, removed, record (JSON), one row per change.
        `deliveries`: number, user, event, seq, rank, subscriptions, published, forwarded, window, served, matched,
        received.
    startingOffset
        Skip everything up to this offset, version or number; 0 by default. `latest` skips everything that exists now.
    startingTime
        For events: begin with the first one published at or after this time.
    maxEventsPerTrigger
        The maximum number of rows in a micro-batch of a stream; for the catalog, of versions.
    """
    spark.dataSource.register(RankcastSource)
    if catalog is not None:
        from rankcast.pipeline.spark.table_functions import register_functions

        register_functions(spark, catalog)


class RankcastSource(DataSource):
    """One table of a store."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._options = Options.of(dict(options))

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return "rankcast"

    def schema(self) -> StructType | str:
        """The columns of the table."""
        return TABLES[self._options.table].schema

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads the whole table, in at most one partition per core."""
        if TABLES[self._options.table].is_pipeline:
            raise ModelError(f"the table {self._options.table!r} is for pipelines, which read it as a stream")
        return BatchReader(self._options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Reads the table as it grows. For ranges, Spark is told that there is only the simple reader."""
        if self._options.table == "matches":
            return LogPipelineReader(self._options)
        if TABLES[self._options.table].is_pipeline:
            return super().streamReader(schema)  # raises an error
        return StreamReader(self._options)

    def simpleStreamReader(self, schema: StructType) -> SimpleDataSourceStreamReader:  # noqa: N802
        """The reader for pipelines."""
        return PipelineReader(self._options)
