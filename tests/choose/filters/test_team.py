"""A threshold filter over several nodes (thesis 3.4)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import event_filter
from rankcast.choose.filters.team import (
    NodeSummary,
    RoundSummary,
    TeamNode,
    first_round,
    merge,
    round_bounds,
    serve_together,
)
from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Scoring, Update

streams = st.lists(st.sets(st.sampled_from("abcd"), min_size=1).map(sorted), min_size=1, max_size=90)


def divided(stream, nodes):
    matches = [[] for _ in range(nodes)]
    for seq, matching in enumerate(stream, 1):
        for node in range(nodes):
            own = tuple(name for name in matching if "abcd".index(name) % nodes == node)
            if own:
                matches[node].append((seq, own))
    return matches


@given(streams, st.sampled_from([Scoring.RATE, Scoring.INTERVAL]), st.integers(1, 8))
def test_one_node_is_the_plain_filter(candidate, stream, scoring, rounds):
    length = max(2, len(stream) // rounds)
    stream = (stream * rounds * length)[: rounds * length]
    settings = Filter(FilterKind.THRESHOLD, 0.5, length, scoring)
    plain = event_filter("u", settings)
    expected = [seq for seq, names in enumerate(stream, 1) if plain.admit(candidate(seq, names)).passed]
    assert serve_together(divided(stream, 1), len(stream), settings, rounds) == expected


@given(streams, st.integers(1, 4), st.integers(1, 12), st.floats(0.05, 1))
def test_never_more_than_the_budget_of_all_rounds(stream, nodes, rounds, rate):
    settings = Filter(FilterKind.THRESHOLD, rate, 1000)
    delivered = serve_together(divided(stream, nodes), len(stream), settings, rounds)
    for number in range(rounds):
        _, end = round_bounds(len(stream), number, rounds)
        first = round_bounds(len(stream), 0, rounds)[1]
        assert (
            sum(seq <= end for seq in delivered)
            <= rate * (first + round_bounds(len(stream), number - 1, rounds)[1]) + 1
        )


def test_what_others_delivered_counts_here_too():
    settings = Filter(FilterKind.THRESHOLD, 0.5, 4)
    node = TeamNode(1, settings)
    node.advance([(1, ("b",)), (2, ("b",))], 0, RoundSummary(0.0, [1, 0], 0, 1.0, []))
    summary = node.advance([(5, ("b",))], 4, RoundSummary(0.0, [1, 1], 4, 1.0, [1]))
    assert summary.best == [(1 - 1 / 4, 5)], "b was delivered once, by another node, and four events matched before"


def test_unspent_quotas_go_to_those_that_used_theirs_up():
    before = RoundSummary(0.0, [2, 2], 0, 1.0, [])
    summaries = [NodeSummary([1, 2, 3], [1, 2], [(1.0, 1), (0.5, 2), (0.4, 3)]), NodeSummary([4], [4], [(0.9, 4)])]
    assert merge(summaries, before, 0.5, 4) == RoundSummary(0.9, [2, 1], 4, 1.0, [1, 2, 4])


def test_the_first_round_divides_the_budget():
    assert first_round(Filter(FilterKind.THRESHOLD, 0.5, 10), 3, 10).quotas == [2, 2, 1]


def test_a_node_goes_on_from_its_state():
    settings = Filter(FilterKind.THRESHOLD, 0.5, 4, Scoring.INTERVAL)
    known = RoundSummary(0.0, [2], 0, 1.0, [])
    before, after = TeamNode(0, settings), TeamNode(0, settings)
    before.advance([(1, ("a",)), (2, ("b",))], 0, known)
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    following = RoundSummary(1.0, [2], 4, 1.0, [1])
    assert after.advance([(5, ("a",)), (6, ("b",))], 4, following) == before.advance(
        [(5, ("a",)), (6, ("b",))], 4, following
    )


@pytest.mark.parametrize(
    "settings",
    [
        Filter(FilterKind.SAMPLING, 0.5),
        Filter(FilterKind.THRESHOLD, 0.5, update=Update.EAGER),
        Filter(FilterKind.THRESHOLD, 0.5, scoring=Scoring.SCORE),
        Filter(FilterKind.THRESHOLD, 0.5, aging=0.5),
    ],
)
def test_refuses_filters_that_nodes_cannot_share(settings):
    with pytest.raises(ModelError, match="team"):
        TeamNode(0, settings)
