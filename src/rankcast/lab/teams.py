"""What a user receives whose subscriptions are spread over nodes, and what the nodes send each other (thesis 3.4).

See semantics: Teams.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankcast.choose.filters.team import Team, TeamMatch, node_of, round_bounds
from rankcast.choose.filters.team_rounds import check_team_filter
from rankcast.errors import ModelError
from rankcast.lab.statistics import user_places
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, Match
from rankcast.plain import JsonObject
from rankcast.rank import Specificity
from rankcast.rank.measures import count_at, entropy


@dataclass(frozen=True, slots=True)
class TeamDelivery:
    """A delivered event, with all matching subscriptions and the number of its round."""

    seq: int
    event: str
    subscriptions: tuple[str, ...]
    round: int


@dataclass(frozen=True, slots=True)
class TeamResult:
    """What a team received: `matched` events matched it, and `entropy` is that of the deliveries.

    `traffic` is the number of bytes that the nodes and the coordinator sent each other in all rounds.
    """

    nodes: int
    rounds: int
    matched: int
    entropy: float
    traffic: int
    deliveries: tuple[TeamDelivery, ...]

    def to_json(self) -> JsonObject:
        """The figures for programs, without the deliveries."""
        delivered = len(self.deliveries)
        return {
            "nodes": self.nodes,
            "delivered": delivered,
            "share": round(delivered / self.matched, 6) if self.matched else 0.0,
            "entropy": round(self.entropy, 6),
            "bytes": round(self.traffic / self.nodes / self.rounds, 1),
        }


def matches_of_user(catalog: Catalog, user: str, events: Sequence[Event]) -> list[Match]:
    """The matches of a user's subscriptions, by plain evaluation."""
    matcher = OracleMatcher.of(catalog.alone(user))
    return [Match(event.id, one.id, user, degree) for event in events for one, degree in matcher.match(event)]


def serve_as_team(
    catalog: Catalog, user: str, events: Sequence[Event], found: Iterable[Match], rounds: int, nodes: int
) -> TeamResult:
    """Serve the events to a user whose subscriptions are spread over nodes, given the matches of that user.

    Each subscription lives in one node, chosen by a hash of its id. The result is that of
    `rankcast.pipeline.spark.deliver_to_team`, computed in this process.
    """
    settings = check_team_filter(catalog.policy_of(user).filter)
    for name, value in (("rounds", rounds), ("nodes", nodes)):
        if value < 1:
            raise ModelError(f"{name} is {value}; it must be at least 1")
    seqs = {event.id: seq for seq, event in enumerate(events, 1)}
    names: dict[str, list[str]] = defaultdict(list)
    for one in found:
        names[one.event].append(one.subscription)
    matched = sorted((seqs[event], event, own) for event, own in names.items())
    parts = _matches_of_nodes(catalog, user, matched, nodes)
    team = Team(user, settings, nodes)
    round_of: dict[int, int] = {}
    for number in range(rounds):
        start, end = round_bounds(len(events), number, rounds)
        of_round = [[match for match in own if start < match.seq <= end] for own in parts]
        round_of.update(dict.fromkeys(team.advance(of_round, end - start), number + 1))
    deliveries = tuple(
        TeamDelivery(seq, event, tuple(sorted(own)), round_of[seq]) for seq, event, own in matched if seq in round_of
    )
    return TeamResult(nodes, rounds, len(matched), _entropy(catalog, user, deliveries), team.traffic, deliveries)


def _matches_of_nodes(
    catalog: Catalog, user: str, matched: Sequence[tuple[int, str, Sequence[str]]], nodes: int
) -> list[list[TeamMatch]]:
    subscriptions, meaning = catalog.subscriptions_of(user), catalog.meaning_of(user)
    parts: list[list[TeamMatch]] = []
    for node in range(nodes):
        held = [one for one in subscriptions if node_of(one.id, nodes) == node]
        covers, ids = Specificity(held, meaning), {one.id for one in held}
        own = [(seq, event, [name for name in names if name in ids]) for seq, event, names in matched]
        parts.append([TeamMatch(seq, event, names, covers.most_specific(names)) for seq, event, names in own if names])
    return parts


def _entropy(catalog: Catalog, user: str, deliveries: Sequence[TeamDelivery]) -> float:
    covers = Specificity(catalog.subscriptions_of(user), catalog.meaning_of(user))
    everywhere = user_places(catalog, user)
    place_of = {place.subscription: place for place in everywhere}
    counted = [[place_of[name] for name in covers.most_specific(one.subscriptions)] for one in deliveries]
    return entropy(count_at(counted, everywhere))
