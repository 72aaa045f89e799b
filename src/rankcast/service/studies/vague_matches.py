"""Crisp and approximate matches: which recent events match a user fully, and which only to a degree."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.language import show
from rankcast.language.event_words import cut, said
from rankcast.matching import evaluate
from rankcast.matching.predicates import degrees_of
from rankcast.model import Catalog, Event, Subscription, predicates_of
from rankcast.service.trial_tasks import TrialHistory

_SURE = 1 - 1e-9

MOST = 200
"""The most subscriptions of a user that are evaluated."""


@dataclass(frozen=True, slots=True)
class BestMatch:
    """An event and the subscription it matches best, with the degrees.

    `vague` lists the predicates that hold only to a degree, each with the event's value.
    """

    event: Event
    subscription: Subscription
    possibility: float
    necessity: float
    vague: tuple[str, ...]

    @property
    def is_outright(self) -> bool:
        """Whether the event matches with full possibility and necessity."""
        return self.possibility >= _SURE and self.necessity >= _SURE


@dataclass(frozen=True, slots=True)
class MatchesByKind:
    """The number of `events` examined, those that match `outright` and those that match `vaguely`, newest first.

    `left_out` is the number of the user's subscriptions that were not evaluated.
    """

    events: int
    outright: tuple[BestMatch, ...]
    vaguely: tuple[BestMatch, ...]
    left_out: int = 0


def kinds_of_matches(catalog: Catalog, user: str, events: Sequence[Event]) -> MatchesByKind:
    """Match events against the user's subscriptions, at most `MOST`, with degrees. O(subscriptions * events)."""
    norm = catalog.policy_of(user).norm

    meaning = catalog.meaning_of(user)
    subscriptions = catalog.subscriptions_of(user)
    found: list[BestMatch] = []
    for event in events:
        best: BestMatch | None = None
        for subscription in subscriptions[:MOST]:
            outcome = evaluate(subscription.where, event, meaning, norm, catalog.membership)
            if not outcome.holds:
                continue
            if best is None or (outcome.possibility, outcome.necessity) > (best.possibility, best.necessity):
                best = BestMatch(event, subscription, outcome.possibility, outcome.necessity, ())
        if best is not None:
            found.append(best if best.is_outright else _explained(best, catalog, user))
    return MatchesByKind(
        len(events),
        tuple(match for match in found if match.is_outright),
        tuple(match for match in found if not match.is_outright),
        max(len(subscriptions) - MOST, 0),
    )


def kinds_in_history(history: TrialHistory, catalog: Catalog, user: str) -> MatchesByKind:
    """Crisp and approximate matches among recent events, newest first."""
    return kinds_of_matches(catalog, user, history.read()[::-1])


def _explained(match: BestMatch, catalog: Catalog, user: str) -> BestMatch:
    meaning = catalog.meaning_of(user)
    vague = []
    for predicate in predicates_of(match.subscription.where):
        value = match.event.attributes.get(predicate.attribute)
        if value is None:
            continue
        possibility, necessity = degrees_of(predicate, value, meaning, catalog.membership)
        if possibility > 0 and (possibility < _SURE or necessity < _SURE):
            vague.append(f"{show(predicate)}: {cut(said(value), 40)}")
    return BestMatch(match.event, match.subscription, match.possibility, match.necessity, tuple(dict.fromkeys(vague)))
