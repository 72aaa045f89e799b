"""Rankcast on Spark: DataFrames of events in, DataFrames of matches and deliveries out.

Nothing here relies on the order of rows or changes the user's session. Only `summarise`, which does not return a
DataFrame, runs an action. Everything works in a classic session and under Spark Connect. `serve_store` runs the live
pipeline of a store.
"""

from rankcast.pipeline.spark.backtest import backtest, backtest_measures, backtest_overlap
from rankcast.pipeline.spark.deliver import deliver, match, rejects, set_aside
from rankcast.pipeline.spark.measures import measures
from rankcast.pipeline.spark.mining import summarise, values_of
from rankcast.pipeline.spark.route import recipients, visits
from rankcast.pipeline.spark.session import local_session
from rankcast.pipeline.spark.source import register
from rankcast.pipeline.spark.stream import serve_store
from rankcast.pipeline.spark.team import deliver_to_team

__all__ = [
    "backtest",
    "backtest_measures",
    "backtest_overlap",
    "deliver",
    "deliver_to_team",
    "local_session",
    "match",
    "measures",
    "recipients",
    "register",
    "rejects",
    "serve_store",
    "set_aside",
    "summarise",
    "values_of",
    "visits",
]
