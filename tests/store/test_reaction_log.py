"""Reactions to deliveries: kept by user and event, bounded, and deleted with the user."""

from datetime import UTC, datetime

import pytest

from rankcast.errors import StoreError
from rankcast.model import Delivery
from rankcast.store import Reaction, ReactionLog, StateChanges, Store, reaction_log
from rankcast.store.users import delete_user

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def log(store: Store) -> ReactionLog:
    sent = [
        Delivery(user, f"e{number}", number, 1.0, ("s1",), NOON, NOON, number)
        for number in range(1, 6)
        for user in ("ann", "ben")
    ]
    store.commit(sent, 0, 0, StateChanges(), 0)
    return ReactionLog(store.database)


def test_a_reaction_is_kept_changed_and_taken_back(log: ReactionLog) -> None:
    log.react("ann", "e1", Reaction(is_read=True))
    log.react("ann", "e1", Reaction(is_read=True, is_saved=True))
    log.react("ann", "e2", Reaction(is_dismissed=True))
    assert log.of("ann", ["e1", "e2", "e3"]) == {"e1": Reaction(True, True), "e2": Reaction(is_dismissed=True)}
    assert log.of("ben", ["e1"]) == {}
    assert log.saved("ann") == [1]
    log.react("ann", "e2", Reaction())
    assert log.of("ann", ["e2"]) == {}


def test_only_what_was_delivered_can_be_reacted_to(log: ReactionLog) -> None:
    with pytest.raises(StoreError, match="'e9' was not delivered to 'ann'"):
        log.react("ann", "e9", Reaction(is_read=True))


def test_the_number_is_bounded_and_saved_ones_stay(log: ReactionLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaction_log, "MOST_REACTIONS", 2)
    log.react("ann", "e1", Reaction(is_saved=True))
    for name in ("e2", "e3", "e4"):
        log.react("ann", name, Reaction(is_read=True))
    assert set(log.of("ann", ["e1", "e2", "e3", "e4"])) == {"e1", "e4"}


def test_a_deleted_user_leaves_none(store: Store, log: ReactionLog) -> None:
    log.react("ann", "e1", Reaction(is_read=True))
    log.react("ben", "e1", Reaction(is_read=True))
    assert delete_user(store.database, "ann")["reactions"] == 1
    assert (log.of("ann", ["e1"]), log.of("ben", ["e1"])) == ({}, {"e1": Reaction(True)})
