"""Summaries of attributes on Spark, from which `rankcast.fuzzy` mines concepts (semantics: Approximate matching).

Two passes over the data count each number, or each string with its contexts, into buckets. The result is as small as
the summary, however large the data is. Unlike the rest of this package, these functions run actions, because their
result is not a DataFrame.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from rankcast.errors import ModelError, did_you_mean
from rankcast.fuzzy import NumberSummary, ValueSummary, digits_for, numbers_asked_for
from rankcast.fuzzy.summary import Bucket, Key, number_of
from rankcast.fuzzy.value_summary import MOST_VALUES, Context, contexts_in, strings_of
from rankcast.language.tables import RESERVED, events_of_json, events_of_table
from rankcast.model import Event, Expression
from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.source import register
from rankcast.pipeline.spark.stream import absolute


def summarise(events: DataFrame, attribute: str, *, json: str | None = None) -> NumberSummary:
    """The distribution of the numbers of an attribute. Null, NaN and infinity count as missing.

    Parameters
    ----------
    events
        One event per row, as for `rankcast.pipeline.spark.deliver`.
    json
        Instead of attribute columns: the name of the column that holds each event as JSON.
    """
    return _of_numbers(values_of(events, attribute, json=json), attribute)


def _of_numbers(numbers: DataFrame, attribute: str) -> NumberSummary:
    """The summary of a column `value` of numbers."""
    x = f.col("value")
    known = f.when(~f.isnan(x) & (f.abs(x) < float("inf")), x)
    ((rows, count, low, high),) = numbers.select(
        f.count(f.lit(1)), f.count(known), f.min(known), f.max(known)
    ).collect()
    if not count:
        return NumberSummary(attribute, 1, {}, rows)
    digits = digits_for(low, high)
    exponent = f.when(x == 0, 0).otherwise(f.floor(f.log10(f.abs(x))) - (digits - 1)).cast("int")
    quotient = x / f.pow(f.lit(10.0), f.col("exponent"))
    mantissa = f.when(x >= 0, f.floor(quotient)).otherwise(f.ceil(quotient)).cast("long")
    counted = (
        numbers.where(known.isNotNull())
        .withColumn("exponent", exponent)
        .withColumn("mantissa", mantissa)
        .groupBy("exponent", "mantissa")
        .agg(f.count(f.lit(1)).alias("numbers"), f.sum(x).alias("total"))
    )
    buckets = {Key(row.exponent, row.mantissa): Bucket(row.numbers, row.total) for row in counted.collect()}
    return NumberSummary(attribute, digits, dict(sorted(buckets.items())), rows - count)


def summarise_values(events: DataFrame, attribute: str, *, json: str | None = None) -> ValueSummary:
    """The contexts of the strings of an attribute; the same as `ValueSummary.of`. Parameters as for `summarise`."""
    rows = events
    if json is not None:
        rows = events.select(f.col(json).cast("string"))
    elif attribute not in events.columns:
        raise ModelError(f"the events have no attribute {attribute!r}{did_you_mean(attribute, events.columns)}")
    else:  # which event it was and when does not matter
        rows = events.withColumns({"id": f.lit("e"), "time": f.timestamp_seconds(f.lit(0))})
    told = rows.mapInArrow(
        shipped(_count_strings, attribute=attribute, is_json=json is not None), "value string, n long"
    )
    counted = told.groupBy("value").agg(f.sum("n").alias("n"))
    missing = [row.n for row in counted.where(f.col("value").isNull()).collect()]
    first = counted.where(f.col("value").isNotNull()).orderBy(f.desc("n"), "value").limit(MOST_VALUES + 1).collect()
    values = Counter({row.value: row.n for row in first})
    contexts: Counter[Context] = Counter()
    if 0 < len(values) <= MOST_VALUES:
        form = "value string, attribute string, exponent int, code long, n long"
        found = rows.mapInArrow(shipped(_count_contexts, attribute=attribute, is_json=json is not None), form)
        for *key, n in found.groupBy(*Context._fields).agg(f.sum("n").alias("n")).collect():
            contexts[Context(*key)] = n
    return ValueSummary(attribute, values, contexts, sum(missing))


def summarise_store(
    spark: SparkSession, store: str, attribute: str, wheres: Iterable[Expression], last: int
) -> NumberSummary | ValueSummary:
    """`rankcast.lab.adapting.summary_of` the events of a store up to the offset `last`, and of subscriptions.

    The executors read the log; all of them must reach the store.
    """
    known = list(wheres)
    register(spark)
    log = spark.read.format("rankcast").option("store", absolute(store)).load()
    lines = log.where(f.col("event_offset") <= last).select("content")
    asked = [(float(number),) for number in numbers_asked_for(known, attribute)]
    values = values_of(lines, attribute, json="content")
    numbers = _of_numbers(values.union(spark.createDataFrame(asked, "value double")), attribute)
    if numbers.missing > numbers.count - len(asked):  # otherwise fewer events can have strings than have numbers
        strings = summarise_values(lines, attribute, json="content")
        if numbers.missing > strings.missing:
            return strings.merged(ValueSummary.of(attribute, [], known))
    return numbers


def values_of(events: DataFrame, attribute: str, *, json: str | None = None) -> DataFrame:
    """The numbers of an attribute as one column `value`, null where there is none. Parameters as for `summarise`.

    An imprecise value counts as the middle of the interval where it is fully possible.
    """
    if json is not None:
        lines = events.select(f.col(json).cast("string"))
        return lines.mapInArrow(shipped(_of_lines, attribute=attribute), "value double")
    names = [name for name in events.columns if name not in RESERVED]
    if attribute not in names:
        raise ModelError(f"the events have no attribute {attribute!r}{did_you_mean(attribute, names)}")
    kind = events.schema[attribute].dataType
    if isinstance(kind, t.NumericType):
        return events.select(f.col(attribute).cast("double").alias("value"))
    if isinstance(kind, t.StructType):
        return events.select("id", "time", attribute).mapInArrow(shipped(_of_rows, attribute=attribute), "value double")
    raise ModelError(f"attribute {attribute!r} is a {kind.simpleString()}; concepts are mined from numbers")


def _of_lines(batches: Iterator[pa.RecordBatch], attribute: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _column(events_of_json(batch.column(0)), attribute)


def _of_rows(batches: Iterator[pa.RecordBatch], attribute: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _column(events_of_table(batch), attribute)


def _column(events: Iterator[Event | tuple[str, str]], attribute: str) -> pa.RecordBatch:
    numbers = [number_of(event.attributes.get(attribute)) if isinstance(event, Event) else None for event in events]
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.float64())], ["value"])


def _count_strings(batches: Iterator[pa.RecordBatch], attribute: str, is_json: bool) -> Iterator[pa.RecordBatch]:
    """How often each string occurs in each batch; null stands for an event without one."""
    for batch in batches:
        values: Counter[str | None] = Counter()
        for event in _events(batch, is_json):
            own: list[str | None] = [*strings_of(event.attributes.get(attribute))]
            values.update(own or [None])
        columns = [pa.array(list(values), pa.string()), pa.array(list(values.values()), pa.int64())]
        yield pa.RecordBatch.from_arrays(columns, ["value", "n"])


def _count_contexts(batches: Iterator[pa.RecordBatch], attribute: str, is_json: bool) -> Iterator[pa.RecordBatch]:
    """How often each context occurs in each batch."""
    kinds = (pa.string(), pa.string(), pa.int32(), pa.int64())
    for batch in batches:
        contexts: Counter[Context] = Counter()
        for event in _events(batch, is_json):
            if own := strings_of(event.attributes.get(attribute)):
                contexts.update(contexts_in(event, attribute, own))
        columns = [pa.array([key[at] for key in contexts], kind) for at, kind in enumerate(kinds)]
        counts = pa.array(list(contexts.values()), pa.int64())
        yield pa.RecordBatch.from_arrays([*columns, counts], [*Context._fields, "n"])


def _events(batch: pa.RecordBatch, is_json: bool) -> Iterator[Event]:
    """The events that can be read; the others are no data."""
    found = events_of_json(batch.column(0)) if is_json else events_of_table(batch)
    return (event for event in found if isinstance(event, Event))
