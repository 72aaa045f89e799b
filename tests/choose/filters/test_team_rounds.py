"""What nodes of a team tell each other (semantics: Teams)."""

import pytest

from rankcast.choose.filters.team_rounds import (
    NodeReport,
    PastRound,
    TeamState,
    check_team_filter,
    first_orders,
    merge,
    seqs_of,
)
from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Scoring, Update


def test_the_first_round_divides_the_budget():
    _, orders = first_orders(Filter(FilterKind.THRESHOLD, 0.5, 10), 3, 10)
    assert [one.quota for one in orders] == [2, 2, 1]


def report(matched, delivered, wanted, points):
    return NodeReport(bytes([matched]), bytes([delivered]), wanted, points, 1)


def test_an_event_that_two_nodes_deliver_counts_once():
    state, orders = merge(
        [report(0b0111, 0b0001, 1, [(0.9, 2)]), report(0b0001, 0b0001, 1, [(0.5, 1)])],
        TeamState([1, 1]),
        Filter(FilterKind.THRESHOLD, 0.5, 4),
        length=4,
    )
    assert (state.matched, state.passed) == (3, 1)
    assert seqs_of(orders[0].delivered, 0) == [1]
    assert [one.others for one in orders] == [0, 0.5], "two of four events matched the first node alone"
    assert [one.elsewhere for one in orders] == [1, 1]
    assert orders[0].threshold == 0.9


def test_several_nodes_keep_what_they_left_and_one_does_not():
    settings = Filter(FilterKind.THRESHOLD, 0.5, 8)
    reports = [report(0b01111111, 0b00000011, 5, [(0.9, 7)]), report(0b10000000, 0, 0, [(0.1, 1)])]
    state, _ = merge(reports, TeamState([2, 2]), settings, length=8)
    assert state.quotas == [6, 0], "half of eight, and the two that the second node left; the first wants five"
    alone, _ = merge([report(0b11111111, 0b11, 2, [(0.9, 8)])], TeamState([4]), settings, length=8)
    assert alone.quotas == [4]


def test_a_paced_team_spends_what_is_unspent():
    settings = Filter(FilterKind.THRESHOLD, 0.5, 8, update=Update.PACED)
    behind = TeamState([0], 100, 30, [PastRound(8, 0, [(0.5, 8)])])
    state, orders = merge([report(0b11111111, 0, 8, [(0.4, 8)])], behind, settings, length=8)
    assert sum(state.quotas) == 58 - 30
    assert orders[0].threshold == 0, "everything passes while so much is unspent"


@pytest.mark.parametrize(
    "settings",
    [None, Filter(FilterKind.RANDOM, 0.5), Filter(FilterKind.THRESHOLD, 0.5, scoring=Scoring.SCORE)],
)
def test_refuses_filters_that_nodes_cannot_share(settings):
    with pytest.raises(ModelError, match="team"):
        check_team_filter(settings)
