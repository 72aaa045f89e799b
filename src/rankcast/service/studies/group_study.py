"""Studies of filters on recent events: shared by groups of users, and spread over a team of nodes."""

from collections.abc import Sequence

from rankcast.choose.filters.team_rounds import check_team_filter
from rankcast.lab.groups import Group, find_groups, study_groups
from rankcast.lab.teams import matches_of_user, serve_as_team
from rankcast.model import Catalog
from rankcast.plain import JsonObject
from rankcast.service.trial_tasks import TrialHistory
from rankcast.store import Store

MOST_USERS = 200
"""The most users who are served alone and in groups. Further groups are only counted."""


def study_recent_groups(history: TrialHistory, similarities: Sequence[float]) -> list[JsonObject]:
    """A row for each similarity at which users can share a filter, as `rankcast groups` prints it.

    `not_tried` counts the groups beyond the most users. Publications under an advertisement go to the k best among the
    users tried.
    """
    with Store.open(history.store) as store:
        catalog = store.catalog()
    events = history.read()
    rows: list[JsonObject] = []
    for similarity in similarities:
        found = find_groups(catalog, similarity)
        tried = _first(found)
        if not tried:
            continue
        members = {member for group in tried for member in group.members}
        study, _ = study_groups(catalog.part(members.__contains__), tried, events)
        named = {group.user: list(group.members) for group in tried}
        rows.append(
            {"similarity": similarity, **study.to_json(), "members": named, "not_tried": len(found) - len(tried)}
        )
    return rows


def _first(groups: Sequence[Group]) -> list[Group]:
    found: list[Group] = []
    users = 0
    for group in groups:
        users += len(group.members)
        if users > MOST_USERS:
            break
        found.append(group)
    return found


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
