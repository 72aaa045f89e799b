"""One user as a shard serves them: scores, most specific subscriptions, delivery mode."""

from collections.abc import Sequence
from typing import Any

from rankcast.choose import Candidate, DeliveryMode, Moment, Step, delivery_mode
from rankcast.model import Catalog, Event, Policy, Subscription
from rankcast.rank import Specificity, event_rank, scores

__all__ = ["Subscriber"]


class Subscriber:
    """Ranks the events that match one user, and hands them to the user's delivery mode."""

    def __init__(self, user: str, catalog: Catalog) -> None:
        self._user = user
        self._policy = catalog.policy_of(user)
        self._mode: DeliveryMode = delivery_mode(self._policy)
        self._read(catalog)

    def update(self, catalog: Catalog) -> list[Step]:
        """Take over the user's part of another catalog; what the old delivery mode still owed, if it changed."""
        before, self._policy = self._policy, catalog.policy_of(self._user)
        self._read(catalog)
        if self._policy == before:
            return []
        old, self._mode = self._mode, delivery_mode(self._policy)
        if _same_windows(before, self._policy):
            self._mode.restore(old.state())
            return []
        return old.close()

    def candidate(self, event: Event, matched: Sequence[tuple[Subscription, float]]) -> Candidate:
        """The event as a candidate for this user: its most specific subscriptions, its degree, its rank."""
        matching = tuple(subscription.id for subscription, _ in matched)
        specific = self._specificity.most_specific(matching)
        rank = event_rank(
            [self._scores[name] for name in specific],
            [self._weights[name] for name in specific],
            self._policy.aggregate,
        )
        degree = max(degree for subscription, degree in matched if subscription.id in specific)
        return Candidate(event, rank, matching, specific, degree)

    def publish(self, moment: Moment, event: Event, matched: Sequence[tuple[Subscription, float]]) -> list[Step]:
        """Serve the next published event; `matched` is empty if it does not match this user."""
        return self._mode.publish(moment, self.candidate(event, matched) if matched else None)

    def close(self) -> list[Step]:
        """What the delivery mode still owes at the end of the stream."""
        return self._mode.close()

    def state(self) -> dict[str, Any]:
        """Plain data for `restore`."""
        return self._mode.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        self._mode.restore(state)

    def _read(self, catalog: Catalog) -> None:
        subscriptions = catalog.subscriptions_of(self._user)
        self._scores = scores(subscriptions, catalog.preferences_of(self._user), self._policy.levels)
        self._weights = {subscription.id: subscription.weight for subscription in subscriptions}
        self._specificity = Specificity(
            subscriptions, lambda attribute, term: catalog.membership(attribute, term, self._user)
        )


def _same_windows(before: Policy, after: Policy) -> bool:
    """Whether the state of a mode under one policy means the same under the other."""
    return (before.mode, before.length, before.origin, before.filter) == (
        after.mode,
        after.length,
        after.origin,
        after.filter,
    )
