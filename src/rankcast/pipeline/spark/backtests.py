"""Backtests: what several policies would have delivered for the same history."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from rankcast.choose import Candidate, Distance, DivRank
from rankcast.errors import ModelError
from rankcast.language import decode_event
from rankcast.model import Advertisement, Catalog, Concept, Policy, Preference, Subscription
from rankcast.pipeline.spark.batch import deliver
from rankcast.pipeline.spark.inputs import prepared, shared_lines
from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.workers import check_rows

if TYPE_CHECKING:
    import pandas as pd

_BETWEEN = "\ue000"
"""Separates the names of policy and user: a private-use character, which names rarely contain."""

_SCREEN = 10
"""Number of consecutive deliveries that a user sees on one screen. Diversity is measured within a screen."""


def backtest(
    events: DataFrame,
    catalog: Catalog,
    policies: Mapping[str, Policy | None],
    *,
    shards: int | None = None,
    json: str | None = None,
) -> DataFrame:
    """What each user of the catalog would have received under each policy, in one job.

    Parameters
    ----------
    events, shards, json
        The same as for `rankcast.pipeline.spark.deliver`.
    policies
        The policies by name. Each one is applied to every user, and its own `user` is ignored. None stands for the
        policy that the user has.

    Returns the columns of `deliver`, and `policy`. Each pair of a policy and a user is served as a separate user, so
    the cost grows with the number of policies.
    """
    if not policies:
        raise ModelError("a backtest needs at least one policy")
    sent = deliver(events, _tried(catalog, policies), shards=shards, json=json)
    parts = f.split("user", _BETWEEN, 2)
    own = f.transform("subscriptions", lambda name: f.element_at(f.split(name, _BETWEEN, 2), 2))
    return (
        sent.withColumn("policy", parts[0])
        .withColumn("user", parts[1])
        .withColumn("subscriptions", own)
        .select("policy", *sent.columns)
    )


def backtest_measures(
    deliveries: DataFrame, events: DataFrame, catalog: Catalog, *, json: str | None = None
) -> DataFrame:
    """Measures of the result of `backtest`, one row per policy with a delivery.

    Columns: policy, users (with a delivery), delivered, rank (mean), diversity (mean distance within ten consecutive
    deliveries to one user), wait (mean seconds between publication and delivery).
    """
    schema = "id string, time timestamp, content string, raw string, reason string"
    accepted = prepared(events, json).mapInArrow(shipped(check_rows, shared=shared_lines(catalog)), schema)
    contents = accepted.where("reason is null").groupBy("id").agg(f.min(f.struct("time", "content")).alias("earliest"))
    contents = contents.select(f.col("id").alias("event"), f.col("earliest.content").alias("content"))
    screens = (
        deliveries.join(contents, "event")
        .select("policy", "user", "forwarded", "window", "seq", "content")
        .groupBy("policy", "user")
        .applyInPandas(_diversity(), "policy string, total double, screens long")
        .groupBy("policy")
        .agg((f.sum("total") / f.sum("screens")).alias("diversity"))
    )
    wait = (f.unix_micros("forwarded") - f.unix_micros("published")) / 1e6
    plain = deliveries.groupBy("policy").agg(
        f.count_distinct("user").alias("users"),
        f.count("*").alias("delivered"),
        f.avg("rank").alias("rank"),
        f.avg(wait).alias("wait"),
    )
    return plain.join(screens, "policy", "left").select("policy", "users", "delivered", "rank", "diversity", "wait")


def backtest_overlap(deliveries: DataFrame) -> DataFrame:
    """How much the policies agree: columns policy, other, overlap.

    The overlap is the number of deliveries made by both policies, divided by the number made by either.
    """
    pairs = deliveries.select("policy", "user", "event")
    others = pairs.withColumnRenamed("policy", "other")
    counts = pairs.groupBy("policy").agg(f.count("*").alias("mine"))
    both = pairs.join(others, ["user", "event"]).groupBy("policy", "other").agg(f.count("*").alias("both"))
    every = counts.crossJoin(counts.select(f.col("policy").alias("other"), f.col("mine").alias("theirs")))
    shared = f.coalesce("both", f.lit(0))
    return every.join(both, ["policy", "other"], "left").select(
        "policy", "other", (shared / (f.col("mine") + f.col("theirs") - shared)).alias("overlap")
    )


def _tried(catalog: Catalog, policies: Mapping[str, Policy | None]) -> Catalog:
    """A catalog with one copy of each user per policy."""
    tried = Catalog()
    for concept in catalog.concepts.values():
        if concept.user is None:
            tried.add(concept)
    for name, policy in policies.items():
        if _BETWEEN in name or not name:
            raise ModelError(f"{name!r} cannot be the name of a policy")
        for record in catalog.records():
            match record:
                case Subscription():
                    tried.add(replace(record, id=_named(name, record.id), user=_named(name, record.user)))
                case Preference(user, prefer, over):
                    tried.add(Preference(_named(name, user), _named(name, prefer), _named(name, over)))
                case Concept():
                    if record.user is not None:
                        tried.add(replace(record, user=_named(name, record.user)))
                case Policy() | Advertisement():
                    pass
                case other:
                    assert_never(other)
        for user in catalog.users():
            own = catalog.policy_of(user) if policy is None else policy
            tried.add(replace(own, user=_named(name, user)))
    return tried


def _named(policy: str, name: str) -> str:
    return f"{policy}{_BETWEEN}{name}"


def _diversity() -> "Callable[[pd.DataFrame], pd.DataFrame]":
    def of_user(rows: "pd.DataFrame") -> "pd.DataFrame":
        import pandas as pd

        ordered = rows.sort_values(["forwarded", "window", "seq"])
        candidates = [Candidate(decode_event(content), 1.0) for content in ordered["content"]]
        screens = [candidates[start : start + _SCREEN] for start in range(0, len(candidates), _SCREEN)]
        found = [DivRank(0.0, Distance()).div(screen) for screen in screens if len(screen) > 1]
        return pd.DataFrame({"policy": [rows["policy"].iloc[0]], "total": [sum(found)], "screens": [len(found)]})

    return of_user
