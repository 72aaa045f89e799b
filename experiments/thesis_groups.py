"""Ours, for the thesis's chapter 6: filters shared by groups of users with similar interests."""

from datetime import timedelta

from experiments.novelty_common import SOURCE

from rankcast.choose.filters.chance import chance
from rankcast.engine.arrays import BatchShard
from rankcast.lab.groups import GroupStudy, find_groups, study_groups
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Delivery, Event, Filter, FilterKind, Policy, Subscription

COMMUNITIES, MEMBERS, TOPICS, OWN = 6, 20, 30, 2
EVENTS = 4_000
RATE, PERIOD = 0.2, 200
SIMILARITIES = (0.9, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)


def catalog() -> Catalog:
    """120 users of six communities; each has most of the ten topics of the community, and two topics of their own."""
    found = Catalog()
    for number in range(COMMUNITIES * MEMBERS):
        user, community = f"u{number:03}", number % COMMUNITIES
        common = [(community * 7 + step) % TOPICS for step in range(10)]
        chosen = {topic for topic in common if chance(1, user, str(topic)) < 0.8}
        chosen |= {int(chance(2, user, str(step)) * TOPICS) for step in range(OWN)}
        for topic in sorted(chosen):
            found.add(Subscription(f"{user}-{topic}", user, parse(f"topic = 't{topic}'")))
        found.add(Policy(user, filter=Filter(FilterKind.THRESHOLD, RATE, PERIOD)))
    return found


def stream(events: int) -> list[Event]:
    """Events of thirty topics, by Zipf 1."""
    weights = [1 / rank for rank in range(1, TOPICS + 1)]
    found = []
    for seq in range(1, events + 1):
        left, topic = chance(3, "topic", str(seq)) * sum(weights), 0
        while left >= weights[topic]:
            left -= weights[topic]
            topic += 1
        place = topic * 7 % TOPICS
        found.append(Event(f"e{seq}", EPOCH + timedelta(seconds=seq), {"topic": (f"t{place}",)}, seq=seq))
    return found


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """What sharing saves and costs as less similar users share."""
    from matplotlib.figure import Figure

    users, published = catalog(), stream(events)
    served: dict[int, list[Delivery]] = {}

    def replayed(known: Catalog, seen: list[Event]) -> list[Delivery]:
        if known is users and id(users) in served:
            return served[id(users)]
        shard = BatchShard(known)
        found = [*shard.publish(seen), *shard.close()]
        if known is users:
            served[id(users)] = found
        return found

    studies: dict[float, GroupStudy] = {}
    for similarity in SIMILARITIES:
        groups = find_groups(users, similarity)
        if groups:
            studies[similarity] = study_groups(users, groups, published, replayed)[0]
        report.progress((SIMILARITIES.index(similarity) + 1) / len(SIMILARITIES))
    rows = []
    for similarity, study in studies.items():
        saved = {name: 1 - getattr(study, name)[1] / getattr(study, name)[0] for name in ("decisions", "messages")}
        lost = study.entropy[0] - study.entropy[1]
        more = study.deliveries[1] / study.deliveries[0] - 1
        rows.append((similarity, study.groups, study.users, *(round(x, 4) for x in (*saved.values(), lost, more))))
    columns = (
        "similarity",
        "groups",
        "users in groups",
        "decisions saved",
        "messages saved",
        "entropy lost",
        "more deliveries",
    )
    report.table("groups", columns, rows)
    for similarity, groups, members, decisions, messages, lost, more in rows:
        if similarity in (0.7, 0.5, 0.3):
            report.ours(
                f"similarity {similarity}: decisions and messages saved, entropy lost per member",
                f"{decisions:.0%}, {messages:.0%}, {lost:.3f} bits",
                f"{studies[similarity].entropy[0]:.3f} bits, a filter for each",
                f"{members} users in {groups} groups; members get {more:+.0%} deliveries",
            )
    figure = Figure(figsize=(10.4, 3.8), layout="constrained")
    figure.suptitle("Chapter 6: one filter for a group of similar users, 120 users")
    left, right = figure.subplots(1, 2)
    at = [row[0] for row in rows]
    for axes, column, label, style in (
        (left, 3, "filter decisions saved", "o-"),
        (left, 4, "messages saved", "s-"),
        (right, 5, "entropy lost per member (bits)", "o-"),
        (right, 6, "change of deliveries per member (share)", "s-"),
    ):
        axes.plot(at, [row[column] for row in rows], style, label=label, markersize=4)
    for axes in (left, right):
        axes.set_xlabel("least similarity of a member to the group")
        axes.invert_xaxis()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
    report.figure("groups", figure)
    report.remark(
        "The thesis proposes groups as future work, without a method or figures. The users are made: six communities of "
        "twenty with ten topics each, of which a user has four fifths, and two topics of their own; 4,000 events of thirty "
        "topics by Zipf 1; lazy threshold filter by rate 0.2 of 200. The members' entropy stays; what sharing costs is "
        "deliveries, because a group divides its budget among topics that a member does not have."
    )


EXPERIMENT = Experiment("thesis_groups", "Filters shared by groups", f"{SOURCE}, Chapter 6", run)
