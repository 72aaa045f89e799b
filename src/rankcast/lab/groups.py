"""One filter for a group of users with similar interests, and what that saves and costs (semantics: Groups).

The thesis names it as future work (chapter 6). A group is a user of its own in a *shared catalog*, with one copy of
each subscription of its members, so every engine serves it. What passes its filter is handed out to the members that
it matches.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from rankcast.engine.reference.shard import replay
from rankcast.errors import ModelError
from rankcast.lab.statistics import user_places, user_stats
from rankcast.language import show
from rankcast.model import And, Catalog, Concept, Delivery, Event, Expression, FilterKind, Mode, Policy, Scoring
from rankcast.plain import JsonObject

Replay = Callable[[Catalog, Sequence[Event]], list[Delivery]]


@dataclass(frozen=True, slots=True)
class Group:
    """Users who share a filter; `user` is their name in the shared catalog."""

    user: str
    members: tuple[str, ...]


def find_groups(catalog: Catalog, similarity: float = 0.5) -> list[Group]:
    """Divide the users with a novelty filter into groups. A user who is like no other one is in no group.

    The similarity of two sets of interests is the share of subscriptions that they have in common (Jaccard). Users are
    taken in the order of their names. Each is compared with the interests of all members of a group together, and joins
    the most similar group if the similarity is at least `similarity`. Otherwise the user starts a new group. Only users
    with the same policy share a filter. It must be a threshold
    or sampling filter by rate or interval in front of mode `all`, and the users must have no concepts of their own.
    O(subscriptions of a user times the groups that have them) per user.
    """
    if not 0 < similarity <= 1:
        raise ModelError(f"similarity is {similarity}; it must be above 0 and at most 1")
    named = {concept.user for concept in catalog.concepts.values()}
    interests: list[set[str]] = []
    members: list[list[str]] = []
    policies: list[Policy] = []
    having: dict[str, set[int]] = {}
    for user in sorted(catalog.users()):
        policy = replace(catalog.policy_of(user), user="group")
        if user in named or not _can_share(policy):
            continue
        own = {_interest(one.where) for one in catalog.subscriptions_of(user)}
        common = Counter(group for interest in own for group in having.get(interest, ()))
        best = max(
            (
                (count / (len(own) + len(interests[group]) - count), -group)
                for group, count in common.items()
                if policies[group] == policy
            ),
            default=(0.0, 0),
        )
        group = -best[1] if best[0] >= similarity else len(members)
        if group == len(members):
            interests.append(set())
            members.append([])
            policies.append(policy)
        interests[group] |= own
        members[group].append(user)
        for interest in own:
            having.setdefault(interest, set()).add(group)
    return [Group(f"group of {names[0]}", tuple(names)) for names in members if len(names) > 1]


def shared_catalog(catalog: Catalog, groups: Iterable[Group]) -> Catalog:
    """A catalog in which each group is one user; all other users and records stay as they are.

    A subscription that several members have is in it once, under the id of the first. Publications under an
    advertisement go to the k best of these subscriptions, so a group competes for them as one.
    """
    group_of = {member: group for group in groups for member in group.members}
    shared = Catalog([record for record in catalog.records() if isinstance(record, Concept)])
    known: dict[str, set[str]] = {}
    for user in catalog.users():
        group = group_of.get(user)
        if group is None:
            for one in catalog.subscriptions_of(user):
                shared.add(one)
            for preference in catalog.preferences_of(user):
                shared.add(preference)
        else:
            for one in catalog.subscriptions_of(user):
                interest, seen = _interest(one.where), known.setdefault(group.user, set())
                if interest not in seen:
                    seen.add(interest)
                    shared.add(replace(one, user=group.user))
    for policy in catalog.policies.values():
        group = group_of.get(policy.user)
        if group is None:
            shared.add(policy)
        elif policy.user == group.members[0]:
            shared.add(replace(policy, user=group.user))
    for advertisement in catalog.advertisements.values():
        shared.add(advertisement)
    return shared


def hand_out(
    catalog: Catalog, groups: Iterable[Group], events: Sequence[Event], deliveries: Iterable[Delivery]
) -> list[Delivery]:
    """The deliveries of all users, from those of the shared catalog: a member gets what passed and matches them."""
    members = {group.user: group.members for group in groups}
    passed: dict[str, set[str]] = {name: set() for name in members}
    found = []
    for delivery in deliveries:
        if delivery.user in passed:
            passed[delivery.user].add(delivery.event)
        else:
            found.append(delivery)
    for name, users in members.items():
        within = catalog.part(set(users).__contains__)
        for user in users:
            within.put(replace(catalog.policy_of(user), filter=None))
        for advertisement in list(within.advertisements.values()):  # the group was chosen already
            within.remove(advertisement)
        chosen = [replace(event, advertisement=None, k=None) for event in events if event.id in passed[name]]
        found += replay(within, chosen)
    return sorted(found, key=lambda delivery: delivery.order)


@dataclass(frozen=True, slots=True)
class GroupStudy:
    """What sharing filters saves and costs, over all users in groups.

    Decisions are events that a filter decides on, and messages are deliveries that leave it: one for each member, or
    one for each group. Entropy is the mean over members of the entropy of what they get, `share` that of their matching
    events.
    """

    groups: int
    users: int
    decisions: tuple[int, int]
    messages: tuple[int, int]
    deliveries: tuple[int, int]
    entropy: tuple[float, float]

    def to_json(self) -> JsonObject:
        """The study for programs: `alone` and `shared` for each measure."""
        pairs = {name: getattr(self, name) for name in ("decisions", "messages", "deliveries", "entropy")}
        both = {name: {"alone": round(one, 6), "shared": round(other, 6)} for name, (one, other) in pairs.items()}
        return {"groups": self.groups, "users": self.users, **both}


def study_groups(
    catalog: Catalog, groups: Sequence[Group], events: Sequence[Event], replayed: Replay = replay
) -> tuple[GroupStudy, list[Delivery]]:
    """Serve all users alone and in groups, with any engine; returns the study and the deliveries in groups."""
    users = {member for group in groups for member in group.members}
    shared = shared_catalog(catalog, groups)
    alone = [one for one in replayed(catalog, events) if one.user in users]
    together = replayed(shared, events)
    handed = hand_out(catalog, groups, events, together)
    names = {group.user for group in groups}
    study = GroupStudy(
        len(groups),
        len(users),
        (_matches(catalog, users, events, replayed), _matches(shared, names, events, replayed)),
        (len(alone), sum(one.user in names for one in together)),
        (len(alone), sum(one.user in users for one in handed)),
        (_entropy(catalog, users, alone), _entropy(catalog, users, handed)),
    )
    return study, handed


def _can_share(policy: Policy) -> bool:
    filters = policy.filter
    return (
        policy.mode is Mode.ALL
        and filters is not None
        and filters.novelty in (FilterKind.THRESHOLD, FilterKind.SAMPLING)
        and filters.scoring in (Scoring.RATE, Scoring.INTERVAL)
    )


def _interest(where: Expression) -> str:
    """A text that is the same for conjunctions of the same predicates in any order."""
    return " and ".join(sorted(map(show, where.parts))) if isinstance(where, And) else show(where)


def _matches(catalog: Catalog, users: Collection[str], events: Sequence[Event], replayed: Replay) -> int:
    """How many events match these users, each user counted."""
    plain = catalog.part(users.__contains__)
    for user in users:
        plain.put(replace(plain.policy_of(user), filter=None))
    return len(replayed(plain, events))


def _entropy(catalog: Catalog, users: Collection[str], deliveries: Iterable[Delivery]) -> float:
    by_user: dict[str, list[Delivery]] = {user: [] for user in sorted(users)}
    for delivery in deliveries:
        if delivery.user in by_user:
            by_user[delivery.user].append(delivery)
    return fmean(user_stats(user, user_places(catalog, user), sent).entropy for user, sent in by_user.items())
