"""Matching and delivery as table functions, for people who write SQL.

SELECT * FROM rankcast_match(TABLE(films))
SELECT * FROM rankcast_deliver(TABLE(films) WITH SINGLE PARTITION)
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udtf

from rankcast.engine.choice import shard_for
from rankcast.errors import ModelError
from rankcast.language import RecordTexts, dumps, encode_event, encode_record
from rankcast.language.columns import arrow_table, spark_schema
from rankcast.model import Catalog, Delivery, Event, Match, in_publication_order
from rankcast.overlay import CatalogFunctions, functions_of, use_functions
from rankcast.pipeline.spark.matching_workers import ShippedIndex, match_rows
from rankcast.pipeline.spark.workers import outcomes

_TOGETHER = 50_000


def register_functions(spark: SparkSession, catalog: Catalog) -> None:
    """Register the table functions of a catalog in a session; another catalog replaces them.

    `rankcast_match` gives the rows of `match`, in the task that reads the events. It matches every row, also those
    with the same id. `rankcast_deliver` gives the rows of `deliver`. It needs all events in one task, which serves
    them as one process would; `deliver` is for more events than that. The columns of the events are those of `deliver`.
    """
    index = ShippedIndex.of_catalog(catalog)
    lines = [dumps(encode_record(record)) for record in catalog.records()]
    functions = functions_of(catalog)

    class RankcastMatch:
        """The matches of each batch of events."""

        def eval(self, events: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
            yield from match_rows(iter([_with_text_ids(events)]), index, admits=False)

    class RankcastDeliver:
        """The deliveries of all events together."""

        task: int | None = None

        def __init__(self) -> None:
            self._batches: list[pa.RecordBatch] = []

        def eval(self, events: pa.RecordBatch) -> Iterator[pa.Table]:
            self._batches.append(_with_text_ids(events))
            return iter(())

        def terminate(self) -> Iterator[pa.Table]:
            if self._batches:
                RankcastDeliver.task = _checked_task(RankcastDeliver.task)
                yield _deliveries(self._batches, lines, functions)

    functions_of_sql = (("rankcast_match", RankcastMatch, Match), ("rankcast_deliver", RankcastDeliver, Delivery))
    for name, handler, row in functions_of_sql:
        function: Any = arrow_udtf(handler, returnType=spark_schema(row))
        spark.udtf.register(name, function)


def _with_text_ids(events: pa.RecordBatch) -> pa.RecordBatch:
    """The events with ids as text, as `event_columns` has them. Missing columns are reported."""
    for name in ("id", "time"):
        if name not in events.schema.names:
            raise ModelError(f"the events have no column {name!r}; columns are {', '.join(events.schema.names)}")
    place = events.schema.get_field_index("id")
    if not pa.types.is_integer(events["id"].type):
        return events
    return events.set_column(place, "id", events["id"].cast(pa.string()))


def _checked_task(before: int | None) -> int:
    """The id of this task. Raises if it has only a part of the events, because deliveries depend on all of them."""
    context = TaskContext.get()
    assert context is not None
    if context.partitionId() > 0 or context.taskAttemptId() == before:
        raise ModelError(
            "rankcast_deliver needs all events together: rankcast_deliver(TABLE(events) WITH SINGLE PARTITION)"
        )
    return int(context.taskAttemptId())


def _deliveries(batches: Sequence[pa.RecordBatch], lines: Sequence[str], functions: CatalogFunctions) -> pa.Table:
    use_functions(functions)
    texts = RecordTexts()
    catalog = Catalog([texts.decode(line) for line in lines])
    valid = [one for batch in batches for one in outcomes(batch, catalog) if isinstance(one, Event)]
    earliest: dict[str, Event] = {}
    for event in sorted(valid, key=lambda one: (one.time, dumps(encode_event(one)))):
        earliest.setdefault(event.id, event)
    events = in_publication_order(list(earliest.values()))
    shard = shard_for(len(events), catalog)
    sent: list[Delivery] = []
    for start in range(0, len(events), _TOGETHER):
        sent += shard.publish(events[start : start + _TOGETHER])
    return arrow_table([*sent, *shard.close()], Delivery)
