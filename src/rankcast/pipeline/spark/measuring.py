"""Fairness measures of the deliveries as a DataFrame (semantics: Novelty, measures)."""

from collections.abc import Callable
from datetime import UTC
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from rankcast.lab.statistics import user_places, user_stats
from rankcast.model import Catalog, Delivery
from rankcast.rank import Place

if TYPE_CHECKING:
    import pandas as pd

_SCHEMA = (
    "user string, deliveries long, entropy double, highest_entropy double, fairness double, "
    "distance_mean double, distance_deviation double, distance_deviation_of_means double"
)


def measures(deliveries: DataFrame, catalog: Catalog) -> DataFrame:
    """Entropy, fairness and distances of each user's deliveries, given the result of `deliver`.

    One row per user with a delivery: user, deliveries, entropy, highest_entropy (if all places had equal shares),
    fairness, distance_mean, distance_deviation, distance_deviation_of_means. Deliveries are ordered by the time they
    were forwarded, then by window and seq. A user's deliveries must fit into the memory of one worker.
    """
    everywhere = {user: user_places(catalog, user) for user in catalog.users()}
    columns = deliveries.select("user", "event", "seq", "rank", "subscriptions", "published", "forwarded", "window")
    return columns.groupBy("user").applyInPandas(_measured(everywhere), _SCHEMA)


def _measured(everywhere: dict[str, tuple[Place, ...]]) -> "Callable[[pd.DataFrame], pd.DataFrame]":
    def of_user(rows: "pd.DataFrame") -> "pd.DataFrame":
        import pandas as pd

        ordered = rows.sort_values(["forwarded", "window", "seq"])
        sent = [
            Delivery(
                row.user,
                row.event,
                int(row.seq),
                float(row.rank),
                tuple(row.subscriptions),
                row.published.to_pydatetime().replace(tzinfo=UTC),
                row.forwarded.to_pydatetime().replace(tzinfo=UTC),
                int(row.window),
            )
            for row in ordered.itertuples(index=False, name="Row")
        ]
        found = user_stats(sent[0].user, everywhere.get(sent[0].user, ()), sent)
        values = (found.deliveries, found.entropy, found.highest, found.fairness, *found.distances)
        return pd.DataFrame([(found.user, *values)], columns=[part.split()[0] for part in _SCHEMA.split(", ")])

    return of_user
