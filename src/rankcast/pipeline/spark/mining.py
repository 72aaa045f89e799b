"""Summaries of attributes on Spark, from which `rankcast.fuzzy` mines concepts (semantics: Approximate matching).

Two passes over the data count each number into a bucket. The result is as small as the summary, however large the
data is. Unlike the rest of this package, `summarise` runs actions, because its result is not a DataFrame.
"""

from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from rankcast.errors import ModelError, did_you_mean
from rankcast.fuzzy import NumberSummary, digits_for
from rankcast.fuzzy.summary import Bucket, Key
from rankcast.model import (
    AttributeValue,
    Event,
    Gaussian,
    Interval,
    LeftShoulder,
    RightShoulder,
    Trapezoid,
    Triangle,
)
from rankcast.pipeline.spark.columns import RESERVED, events_of_json, events_of_table

__all__ = ["summarise", "values_of"]


def summarise(events: DataFrame, attribute: str, *, json: str | None = None) -> NumberSummary:
    """The distribution of the numbers of an attribute. Null, NaN and infinity count as missing.

    Parameters
    ----------
    events
        One event per row, as for `rankcast.pipeline.spark.deliver`.
    json
        Instead of attribute columns: the name of the column that holds each event as JSON.
    """
    numbers = values_of(events, attribute, json=json)
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


def values_of(events: DataFrame, attribute: str, *, json: str | None = None) -> DataFrame:
    """The numbers of an attribute as one column `value`, null where there is none. Parameters as for `summarise`.

    An imprecise value counts as the middle of the interval where it is fully possible.
    """
    if json is not None:
        lines = events.select(f.col(json).cast("string"))
        return lines.mapInArrow(partial(_of_lines, attribute=attribute), "value double")
    names = [name for name in events.columns if name not in RESERVED]
    if attribute not in names:
        raise ModelError(f"the events have no attribute {attribute!r}{did_you_mean(attribute, names)}")
    kind = events.schema[attribute].dataType
    if isinstance(kind, t.NumericType):
        return events.select(f.col(attribute).cast("double").alias("value"))
    if isinstance(kind, t.StructType):
        return events.select("id", "time", attribute).mapInArrow(partial(_of_rows, attribute=attribute), "value double")
    raise ModelError(f"attribute {attribute!r} is a {kind.simpleString()}; concepts are mined from numbers")


def _of_lines(batches: Iterator[pa.RecordBatch], attribute: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _column(events_of_json(batch.column(0)), attribute)


def _of_rows(batches: Iterator[pa.RecordBatch], attribute: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _column(events_of_table(batch), attribute)


def _column(events: Iterator[Event | tuple[str, str]], attribute: str) -> pa.RecordBatch:
    numbers = [_number(event.attributes.get(attribute)) if isinstance(event, Event) else None for event in events]
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.float64())], ["value"])


def _number(value: AttributeValue | None) -> float | None:
    match value:
        case (int() | float() as number,) if not isinstance(number, bool):
            return float(number)
        case Interval(low, high) | Trapezoid(_, low, high, _):
            return (low + high) / 2
        case Triangle(_, peak, _) | Gaussian(peak, _) | LeftShoulder(peak, _) | RightShoulder(_, peak):
            return peak
    return None
