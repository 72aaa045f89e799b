"""Rankcast on Spark: DataFrames of events in, DataFrames of matches and deliveries out.

Nothing here relies on the order of rows or changes the user's session, and only `summarise`, which gives no DataFrame,
runs an action; all of it works in a classic session and under Spark Connect. `serve_store` runs the live pipeline of a store.
"""

from rankcast.spark.backtest import backtest, backtest_measures, backtest_overlap
from rankcast.spark.deliver import deliver, match, rejects, set_aside
from rankcast.spark.measures import measures
from rankcast.spark.mining import summarise, values_of
from rankcast.spark.route import recipients, visits
from rankcast.spark.session import local_session
from rankcast.spark.source import register
from rankcast.spark.stream import serve_store
from rankcast.spark.team import deliver_to_team

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
