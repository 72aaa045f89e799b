"""What was left out for a user, and what became of one event for all users, with the reason for each."""

from collections import defaultdict
from time import process_time
from typing import NamedTuple

from rankcast.engine.explain import Explanation
from rankcast.language.event_words import title_of
from rankcast.matching import OracleMatcher
from rankcast.model import Event
from rankcast.pipeline.explaining import explain_logged
from rankcast.service.outcome_words import outcome_words
from rankcast.service.studies.event_counts import left_out_events
from rankcast.service.trial_tasks import TrialHistory
from rankcast.store import Store

_SECONDS = 5.0
"""The processor time for the reasons of one page. Events after that come without a reason."""

_EXPLAINED = 12


class LeftOutEvent(NamedTuple):
    """An event that matched and was not delivered, its rank, the subscriptions that matched, and the reason."""

    event: Event
    rank: float | None
    subscriptions: tuple[str, ...]
    because: str


class LeftOutPage(NamedTuple):
    """Some events, newest first, and whether there are older ones."""

    events: list[LeftOutEvent]
    has_more: bool


class Publication(NamedTuple):
    """What became of an event: who got it, who did not and why, and how many users it did not match."""

    sent: list[str]
    left_out: dict[str, str]
    more_left_out: int
    unmatched: int


def recently_left_out(
    history: TrialHistory, user: str, most: int, before: int | None = None, limit: int = _EXPLAINED
) -> LeftOutPage:
    """The recent events that matched a user and were not delivered, each with the reason.

    `before` is the position of the last event of the page before, and `most` the number of events that an explanation
    replays at most. Cost: an explanation for each event.
    """
    with Store.open(history.store) as store:
        found = [event for event in left_out_events(store, history, user) if before is None or event.seq < before]
        started = process_time()
        made = []
        for event in found[:limit]:
            late = process_time() - started > _SECONDS
            explanation = None if late else explain_logged(store, user, event.id, most=most)
            if explanation is None:
                made.append(LeftOutEvent(event, None, (), ""))
                continue
            matched = [one.subscription.id for one in explanation.interests if one.matches]
            made.append(LeftOutEvent(event, explanation.rank, tuple(matched), _because(store, explanation)))
        return LeftOutPage(made, len(found) > limit)


def publication_of(place: str, most: int, event_id: str) -> Publication:
    """What became of one event for all users. Explains at most twelve users who did not get it."""
    with Store.open(place) as store:
        logged = store.event(event_id)
        assert logged is not None, f"no event {event_id!r}"
        catalog = store.catalog(logged.catalog_version)
        matched: dict[str, list[str]] = defaultdict(list)
        for subscription, _ in OracleMatcher.of(catalog).match(logged.event):
            matched[subscription.user].append(subscription.id)
        sent = [user for user in matched if store.delivery(user, event_id) is not None]
        others = sorted(set(matched) - set(sent))
        reasons = {
            user: _because(store, explain_logged(store, user, event_id, most=most)) for user in others[:_EXPLAINED]
        }
        users = set(catalog.users())
        return Publication(sorted(sent), reasons, len(others) - len(reasons), len(users - set(matched)))


def _because(store: Store, explanation: Explanation) -> str:
    rivals = explanation.decision.rivals if explanation.decision else ()
    logged = [store.event(rival.event) for rival in rivals]
    return outcome_words(explanation, {one.event.id: title_of(one.event) for one in logged if one is not None})
