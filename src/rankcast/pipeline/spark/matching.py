"""Matching as a batch job: each event is matched in the task that reads it.

The subscriptions are compiled into an index once. The tasks of a node share one mapped file of it. Only matches leave
a task; events are not shuffled, except those whose id occurs more than once.
"""

from pyspark.sql import DataFrame

from rankcast.language.columns import spark_schema
from rankcast.model import Catalog, Match
from rankcast.pipeline.spark.inputs import each_once, prepared, shared_lines
from rankcast.pipeline.spark.matching_workers import ShippedIndex, match_rows
from rankcast.pipeline.spark.shipping import shipped


def match(events: DataFrame, catalog: Catalog, *, json: str | None = None) -> DataFrame:
    """The subscriptions that each event matches: columns event, subscription, user, degree.

    The parameters are those of `deliver`. The rows have no order. Rows that are not valid events are left out: see
    `rejects`. The DataFrame of events is read twice, the first time for the ids only.
    """
    return _matches(events, catalog, json, admits=False)


def recipients(events: DataFrame, catalog: Catalog, *, json: str | None = None) -> DataFrame:
    """The subscriptions that each event goes to: the same as `rankcast.overlay.admitted` of all its matches.

    These are the matches, and under an advertisement the k best of them. All matches of an event are known in the
    task that reads it, so the choice is made there. Parameters and columns are those of `match`.
    """
    return _matches(events, catalog, json, admits=True)


def _matches(events: DataFrame, catalog: Catalog, json: str | None, admits: bool) -> DataFrame:
    given = each_once(prepared(events, json), shared_lines(catalog))
    step = shipped(match_rows, index=ShippedIndex.of_catalog(catalog), admits=admits)
    return given.mapInArrow(step, spark_schema(Match))
