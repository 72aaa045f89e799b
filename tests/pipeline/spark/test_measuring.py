import pytest

from rankcast.lab.statistics import user_places, user_stats
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Delivery, Subscription
from rankcast.pipeline.spark import measures


def test_the_same_as_user_by_user(spark):
    catalog = Catalog(
        [Subscription(f"{user}-{name}", user, parse(f"g = '{name}'")) for user in ("ann", "bob") for name in "abc"]
    )
    sent = [
        Delivery(user, f"e{seq}", seq, 0.5, (f"{user}-{name}",), EPOCH, EPOCH, seq)
        for user, names in (("ann", "aabacab"), ("bob", "abcabc"))
        for seq, name in enumerate(names, 1)
    ]
    rows = [(d.user, d.event, d.seq, d.rank, list(d.subscriptions), d.published, d.forwarded, d.window) for d in sent]
    frame = spark.createDataFrame(
        rows[::-1],
        "user string, event string, seq long, rank double, subscriptions array<string>, "
        "published timestamp, forwarded timestamp, window long",
    )
    found = {row.user: row for row in measures(frame, catalog).collect()}
    for user in ("ann", "bob"):
        expected = user_stats(user, user_places(catalog, user), [one for one in sent if one.user == user])
        row = found[user]
        assert (row.deliveries, row.entropy) == (expected.deliveries, pytest.approx(expected.entropy))
        assert row.fairness == pytest.approx(expected.fairness)
        assert row.distance_mean == pytest.approx(expected.distances.mean)
        assert row.distance_deviation_of_means == pytest.approx(expected.distances.means_deviation)
