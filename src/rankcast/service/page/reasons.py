"""A short reason for a delivery, from the catalog, the policy and the previous deliveries.

The full explanation with every score is `rankcast.engine.explain`, which replays the user. This module gives a
summary without a replay, so that a card can show it at once. It mentions only what the policy takes into account.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from rankcast import model
from rankcast.choose import Distance
from rankcast.language import label, show_duration
from rankcast.language.event_words import cut
from rankcast.rank import levels, recency

UNLIKE = 0.5
"""Two events are unlike from this distance on."""

_REMEMBERED = 20
"""The number of previous deliveries that decide whether something is novel."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A delivery with its number in the log and its event."""

    number: int
    delivery: model.Delivery
    event: model.Event


class ShortReason(NamedTuple):
    """The name of the subscription that matched, how much it is liked, and further reasons, most significant first."""

    name: str
    liked: str
    others: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole reason in one line."""
        liked = f" ({self.liked})" if self.liked else ""
        return " · ".join([f"Matches {self.name}{liked}", *self.others])


def short_reason(arrival: Arrival, before: Sequence[Arrival], catalog: model.Catalog) -> ShortReason:
    """Why a delivery was sent: preference, novelty, difference, recency, source, and the selection.

    `before` are the previous deliveries to the same user, newest first.
    """
    policy = catalog.policy_of(arrival.delivery.user)
    said: list[str] = []
    if _counts_novelty(policy) and (novel := _novel(arrival.delivery, before)):
        said.append(novel)
    if policy.sigma < 1 and (unlike := _unlike(arrival.event, before, policy)):
        said.append(unlike)
    if (
        policy.score.get(model.ScorePart.RECENCY, 0) > 0
        and recency(arrival.delivery.freshness, policy.half_life) >= 0.9
    ):
        said.append("just in")
    if policy.score.get(model.ScorePart.AUTHORITY, 0) > 0 and arrival.event.source in policy.authority:
        said.append(f"from {arrival.event.source}")
    return ShortReason(*_liked(arrival.delivery, catalog), (*said, *_chosen(policy)))


def subscription_name(subscription: model.Subscription) -> str:
    """A name for people: the id without its user, if that is a word; otherwise the condition in short.

    >>> from rankcast.language import parse
    >>> subscription_name(model.Subscription("ada-classics", "ada", parse("year < 1950")))
    'classics'
    >>> subscription_name(model.Subscription("ada/1", "ada", parse("genre = 'drama'")))
    'drama'
    """
    name = subscription.id.removeprefix(subscription.user).lstrip("-/:._ ")
    return name if any(letter.isalpha() for letter in name) else short_name(subscription.where)


def short_name(where: model.Expression) -> str:
    """A short name for an expression: ``drama`` for ``genre = 'drama'``.

    >>> from rankcast.language import parse
    >>> short_name(parse("genre = 'drama' and year > 1999")), short_name(parse("genre = 'short' or genre = 'news'"))
    ('drama with year above 1999', 'short or news')
    """
    match where:
        case model.Or(parts) if all(_plain(part) for part in parts):
            said = " or ".join(_plain(part) for part in parts)
        case model.And(parts) if any(_plain(part) for part in parts):
            heads = " and ".join(_plain(part) for part in parts if _plain(part))
            others = " and ".join(label(part) for part in parts if not _plain(part))
            said = f"{heads} with {others}" if others else heads
        case model.Always() | model.And() | model.Or() | model.Not() | model.Predicate():
            said = _plain(where) or label(where)
        case other:
            assert_never(other)
    return cut(said, 70)


def _plain(where: model.Expression) -> str:
    """The string that an expression compares an attribute to, or an empty string if it is not a plain equality."""
    if isinstance(where, model.Predicate) and isinstance(where.test, model.Compare) and where.test.op is model.Op.EQ:
        return where.test.value if isinstance(where.test.value, str) else ""
    return ""


def _liked(delivery: model.Delivery, catalog: model.Catalog) -> tuple[str, str]:
    """The name of the subscription that decided, and how much it is liked."""
    mine = {one.id: one for one in catalog.subscriptions_of(delivery.user)}
    known = [mine[name] for name in delivery.subscriptions if name in mine]
    if not known:
        return "a subscription that no longer exists", ""
    preferences = catalog.preferences_of(delivery.user)
    for one in known:
        over = [preference.over for preference in preferences if preference.prefer == one.id]
        if one.score is None and over:
            return subscription_name(one), f"preferred over {subscription_name(mine[over[0]])}"
    best = max(known, key=lambda one: -1.0 if one.score is None else one.score)
    if best.score is not None:
        return subscription_name(best), f"{best.score:.3g}"
    level_of = levels(mine, preferences)
    count = max(level_of.values())
    return subscription_name(best), f"level {level_of[best.id]} of {count}" if count > 1 else ""


def _counts_novelty(policy: model.Policy) -> bool:
    by_filter = policy.filter is not None and policy.filter.scoring is not model.Scoring.SCORE
    return by_filter or policy.score.get(model.ScorePart.NOVELTY, 0) > 0


def _novel(delivery: model.Delivery, before: Sequence[Arrival]) -> str:
    lately = before[:_REMEMBERED]
    like_it = sum(bool({*delivery.subscriptions} & {*earlier.delivery.subscriptions}) for earlier in lately)
    if not like_it:
        return "novel for you"
    return f"rare recently ({like_it} of the last {len(lately)})" if like_it <= len(lately) / 5 else ""


def _unlike(event: model.Event, before: Sequence[Arrival], policy: model.Policy) -> str:
    lately = before[:3]
    if not lately:
        return ""
    distance = Distance.of(policy)
    unlike = [distance(event, earlier.event) >= UNLIKE for earlier in lately]
    count = {1: "one", 2: "two", 3: "three"}[len(lately)]
    return f"unlike the last {count}" if all(unlike) else "unlike the last one" if unlike[0] else ""


def _chosen(policy: model.Policy) -> list[str]:
    if policy.mode is model.Mode.ALL or policy.k is None or policy.length is None:
        return []
    match policy.mode:
        case model.Mode.PERIODIC:
            return [f"top {policy.k} of its period"]
        case model.Mode.SLIDING:
            return [f"top {policy.k} of the last {_length(policy.length)}"]
        case model.Mode.HISTORY:
            return [f"top {policy.k} of what you were sent in the last {_length(policy.length)}"]


def _length(length: model.Length) -> str:
    match length:
        case model.Length(amount, model.Unit.TIME):
            return show_duration(amount)  # type: ignore[arg-type]  # the model keeps amount and unit in step
        case model.Length(amount, model.Unit.MATCHED):
            return f"{amount:,} matches"
        case model.Length(amount, _):
            return f"{amount:,} events"
