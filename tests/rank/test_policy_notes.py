"""A policy that does something else than most people mean is told so (semantics: Delivery modes)."""

from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.language import parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, ScorePart, Subscription
from rankcast.rank import policy_notes

EVENTS = [
    Event(f"e{seq}", datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=seq), {"x": (seq % 3,)}, seq=seq)
    for seq in range(1, 31)
]


def catalog(policy: Policy, *scores: float | None) -> Catalog:
    subscriptions = [Subscription(f"s{at}", "ann", parse(f"x >= {at}"), score) for at, score in enumerate(scores)]
    return Catalog([*subscriptions, policy])


@pytest.mark.parametrize("scores", [(None,), (0.5, 0.5), (0.5, 0.7)])
@pytest.mark.parametrize("sigma", [1.0, 0.5])
def test_it_is_said_iff_rank_alone_sends_everything(scores: tuple[float | None, ...], sigma: float) -> None:
    policy = Policy("ann", Mode.SLIDING, 3, Length(10), sigma=sigma)
    users = catalog(policy, *scores)
    everything = len(replay(users, EVENTS)) == len(EVENTS)
    if policy_notes(policy, users):
        assert everything
    if sigma == 1 and scores != (0.5, 0.7):
        assert policy_notes(policy, users)


def test_other_criteria_and_modes_say_nothing() -> None:
    novel = {ScorePart.PREFERENCE: 0.5, ScorePart.NOVELTY: 0.5}
    for policy in (
        Policy("ann"),
        Policy("ann", Mode.PERIODIC, 3, Length(10)),
        Policy("ann", Mode.HISTORY, 3, Length(10)),
        Policy("ann", Mode.SLIDING, 3, Length(10), score=novel),
    ):
        assert policy_notes(policy, catalog(policy, None)) == []


def test_settings_without_effect() -> None:
    policy = Policy("ann", k=3)
    assert "so k has no effect" in policy_notes(policy, Catalog([policy]))[0]
