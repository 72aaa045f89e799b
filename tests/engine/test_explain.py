"""Explanations agree with the deliveries and give the reason (semantics: Preference to semantics: Novelty)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.explain import explain
from rankcast.engine.reference.shard import replay
from rankcast.errors import RankcastError
from rankcast.language import parse
from rankcast.model import (
    Advertisement,
    Catalog,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Policy,
    Ranking,
    ScorePart,
    Subscription,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
GENRES = ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"]
EVENTS = [
    Event(f"e{seq}", START + timedelta(minutes=seq), {"genre": (genre,)}, seq=seq)
    for seq, genre in enumerate(GENRES, 1)
]


def catalog(**policy) -> Catalog:
    return Catalog(
        [
            Subscription("comedy", "addison", parse("genre = 'comedy'"), 0.9),
            Subscription("romance", "addison", parse("genre = 'romance'"), 0.9),
            Subscription("drama", "addison", parse("genre = 'drama'"), 0.8),
            Policy("addison", **policy),
        ]
    )


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("sigma", [1.0, 0.5])
@pytest.mark.parametrize("with_filter", [False, True])
def test_an_explanation_says_sent_iff_it_was_delivered(mode, sigma, with_filter):
    chosen = Filter(FilterKind.RANDOM, rate=0.6) if with_filter else None
    users = catalog(mode=mode, k=2, length=Length(4), sigma=sigma, filter=chosen)
    delivered = {delivery.event for delivery in replay(users, EVENTS)}
    for event in EVENTS:
        told = explain(users, EVENTS, "addison", event.id)
        assert told.to_json()["sent"] == (event.id in delivered), told.verdict
        assert told.verdict.startswith("sent" if event.id in delivered else "not sent")
        assert told.lines()[0] == f"{event.id} for addison: {told.verdict}"


def test_it_names_what_was_chosen_instead():
    told = explain(catalog(mode=Mode.PERIODIC, k=2, length=Length(4), sigma=0.5), EVENTS, "addison", "e3")
    assert (
        told.verdict == "not sent: rank 0.8 was never in the top 2; at the end of period 1 that was e2 (0.9), e4 (0.9)"
    )
    assert told.lines()[-2:] == ["    e2  rank 0.9  distance 1", "    e4  rank 0.9  distance 1"]


def test_it_says_that_a_calm_window_kept_its_set():
    calm = catalog(mode=Mode.SLIDING, k=1, length=Length(4), calm=0.2)
    for until in (4, 5):  # e5 would be the better one later
        told = explain(calm, EVENTS[2:until], "addison", "e4")
        assert told.verdict == "not sent: the set before was kept: the new one is better by only 0.1"
    assert explain(calm, EVENTS[2:4], "addison", "e3").verdict.startswith("sent in the window at event 3")


def test_it_names_the_predicate_that_failed():
    users = Catalog([Subscription("old", "ann", parse("genre = 'comedy' and year < 1950"))])
    told = explain(users, EVENTS, "ann", "e1")
    assert told.verdict == "not sent: the subscription of 'ann' does not match"
    assert "      year < 1950: no, there is no year" in [line.replace("  year", "year") for line in told.lines()]


def test_it_names_each_part_of_a_combined_rank():
    users = catalog(score={ScorePart.PREFERENCE: 0.75, ScorePart.NOVELTY: 0.25})
    told = explain(users, EVENTS, "addison", "e4")
    assert told.parts == "0.8417 = 0.75 * preference 0.9 + 0.25 * novelty 0.6667"
    assert told.rank == pytest.approx(0.75 * 0.9 + 0.25 * (1 - 1 / 3))


def test_an_unfinished_period_is_said_to_be_waiting():
    users = catalog(mode=Mode.PERIODIC, k=2, length=Length(10))
    told = explain(users, EVENTS, "addison", "e8", finished=False)
    assert told.verdict == "not sent yet: it waits for the end of its period, with rank 0.9"


def test_unknown_names_get_the_near_one():
    with pytest.raises(RankcastError, match="no user 'adison' with subscriptions; did you mean 'addison'"):
        explain(catalog(), EVENTS, "adison", "e1")
    with pytest.raises(RankcastError, match="no event 'x' among the 8 events"):
        explain(catalog(), EVENTS, "addison", "x")


@pytest.mark.parametrize("mode", list(Mode))
def test_it_knows_whom_the_publisher_chose(mode):
    """Two of three who like comedies get each of them."""
    everybody = Catalog(
        [
            *(Subscription(f"of-{user}", user, parse("genre = 'comedy'"), 0.9) for user in ("ann", "bob", "carol")),
            *(Policy(user, mode=mode, k=2, length=Length(4)) for user in ("ann", "bob", "carol")),
            Advertisement("a1", "studio", parse("true"), 2, Ranking.FAIR),
        ]
    )
    events = [replace(event, advertisement="a1") for event in EVENTS]
    delivered = {(delivery.user, delivery.event) for delivery in replay(everybody, events)}
    withheld = 0
    for user in ("ann", "bob", "carol"):
        for event in events:
            told = explain(everybody, events, user, event.id)
            assert told.to_json()["sent"] == ((user, event.id) in delivered), told.verdict
            withheld += bool(told.withheld)
    assert withheld == 5  # each of the five comedies passes one of the three by


def test_it_says_why_the_publisher_did_not_choose_a_user():
    users = Catalog(
        [
            Subscription("wide", "ann", parse("genre exists")),
            Subscription("narrow", "bob", parse("genre = 'comedy'")),
            Advertisement("a1", "studio", parse("true"), 1),
        ]
    )
    events = [replace(event, advertisement="a1") for event in EVENTS]
    told = {user: explain(users, events, user, "e1") for user in ("ann", "bob")}
    sent, other = sorted(told.values(), key=lambda one: bool(one.withheld))
    assert sent.verdict.startswith("sent")
    assert other.verdict == (
        "not sent: 'studio' reaches only 1 subscription with advertisement 'a1' (relevance), "
        "and chose others of the 2 that match"
    )
    assert any(line.startswith("  + ") for line in other.lines())
