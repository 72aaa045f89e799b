"""What a user would receive of recent events if the subscriptions were spread over nodes (semantics: Teams)."""

from collections.abc import Sequence

from rankcast.choose.filters.team_rounds import check_team_filter
from rankcast.lab.teams import matches_of_user, serve_as_team
from rankcast.model import Catalog
from rankcast.plain import JsonObject
from rankcast.service.trial_tasks import TrialHistory


def study_recent_team(
    history: TrialHistory, catalog: Catalog, user: str, rounds: int, nodes: Sequence[int]
) -> JsonObject:
    """The figures for each number of nodes, and the deliveries for the last of them, as `rankcast team` prints them."""
    check_team_filter(catalog.policy_of(user).filter)
    events = history.read()
    found = matches_of_user(catalog, user, events)
    results = [serve_as_team(catalog, user, events, found, rounds, count) for count in nodes]
    return {
        "of": len(events),
        "matched": results[-1].matched,
        "rounds": rounds,
        "teams": [result.to_json() for result in results],
        "deliveries": [
            {"event": one.event, "subscriptions": list(one.subscriptions), "round": one.round}
            for one in results[-1].deliveries
        ],
    }
