from datetime import timedelta

import pytest

from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.team import TeamMatch, serve_together
from rankcast.errors import ModelError
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Credit, Filter, FilterKind, Policy, Subscription, Update
from rankcast.pipeline.spark import deliver_to_team
from rankcast.pipeline.spark.team import node_of

TOPICS = "abcdef"


@pytest.mark.parametrize(
    "settings",
    [
        Filter(FilterKind.THRESHOLD, 0.3, 50, update=Update.PACED, aging=0.5, credit=Credit.MOST_NOVEL),
        Filter(FilterKind.SAMPLING, 0.3, 50),
    ],
)
def test_the_nodes_on_spark_do_what_they_do_in_one_process(spark, settings):
    catalog = Catalog([Subscription(f"s-{topic}", "team", parse(f"topic = '{topic}'")) for topic in TOPICS])
    catalog.add(Policy("team", filter=settings))
    topics = [[TOPICS[int(6 * chance(0, str(k), str(seq)) ** 2)] for k in range(1 + seq % 2)] for seq in range(1, 201)]
    rows = [(f"e{seq:03}", EPOCH + timedelta(seconds=seq), topic) for seq, topic in enumerate(topics, 1)]
    events = spark.createDataFrame(rows, "id string, time timestamp, topic array<string>")
    found = deliver_to_team(events, catalog, "team", rounds=4, nodes=2).collect()

    matches = [[], []]
    for seq, topic in enumerate(topics, 1):
        for node in (0, 1):
            own = tuple(f"s-{name}" for name in TOPICS if name in topic and node_of(f"s-{name}", 2) == node)
            if own:
                matches[node].append(TeamMatch(seq, f"e{seq:03}", own, own))
    assert all(matches)
    expected = serve_together(matches, 200, settings, 4)
    assert sorted(row.seq for row in found) == expected
    assert {row.event for row in found} == {f"e{seq:03}" for seq in expected}
    for row in found:
        assert set(row.subscriptions) <= {f"s-{name}" for name in topics[row.seq - 1]}


def test_a_team_needs_a_filter_that_nodes_can_share(spark):
    catalog = Catalog([Subscription("s", "team", parse("topic = 'a'"))])
    with pytest.raises(ModelError, match="threshold or sampling filter"):
        deliver_to_team(spark.createDataFrame([], "id string, time timestamp"), catalog, "team", rounds=2)
