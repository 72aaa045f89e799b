"""Rankcast on Spark: DataFrames of events in, DataFrames of matches and deliveries out.

Nothing here runs an action, relies on the order of rows or changes the user's session; all of it works in a
classic session and under Spark Connect.
"""

from rankcast.spark.deliver import deliver, match, rejects
from rankcast.spark.session import local_session

__all__ = ["deliver", "local_session", "match", "rejects"]
