"""What is in a digest, what is not, and why: always the whole truth about the log between two digests."""

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.language import decode_event, decode_record
from rankcast.run import serve_pending
from rankcast.serve.digests import Digests, Schedule, read_digest
from rankcast.serve.digests.making import deliveries_of, make
from rankcast.serve.digests.reasons import Reason
from rankcast.store import DigestLog, Store

MORNINGS = Schedule.of_json({"days": "daily", "at": "08:00", "zone": "UTC"})
DRAMA = {"kind": "subscription", "id": "s1", "where": "genre = 'drama'", "score": 0.9}
COMEDY = {"kind": "subscription", "id": "s2", "where": "genre = 'comedy'", "score": 0.5}


def drama(**more):
    return {"genre": "drama", **more}


def comedy(**more):
    return {"genre": "comedy", **more}


@pytest.fixture
def next_digest(digests, clock):
    """The digest of the next morning."""

    def following():
        clock.now = MORNINGS.after(clock.now)
        (number,) = digests.round()
        return digests.digest("ann", number)

    return following


def reasons(digests, digest) -> dict[str, str]:
    return {left.event: left.reason for _, left in digests.left_out("ann", digest.kept.number)}


def test_what_was_delivered_since_the_last_one(digests, put, publish, next_digest):
    put(DRAMA, COMEDY)
    publish(drama())
    digests.set_schedule("ann", MORNINGS)
    publish(comedy(), {"genre": "horror"}, drama())
    first = next_digest()
    assert [item.delivery.event for item in first.items] == ["e2", "e4"]
    assert [item.because for item in first.items] == [("genre is comedy",), ("genre is drama",)]
    assert first.summary() == "2 events for you, of 3 published."
    publish(drama())
    assert [item.delivery.event for item in next_digest().items] == ["e5"]
    empty = next_digest()
    assert empty.items == ()
    assert empty.summary() == "Nothing for you among 0 published."


def test_ranked_below_those_chosen(digests, put, publish, next_digest):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 2, "length": 4})
    digests.set_schedule("ann", MORNINGS)
    publish(comedy(), drama(), comedy(), drama())
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e2", "e4"]
    assert reasons(digests, digest) == {"e1": "below", "e3": "below"}
    (_, left), _ = digests.left_out("ann", digest.kept.number)
    assert (left.event, left.rank, left.detail) == ("e3", 0.5, "rank 0.5; chosen: e2 (0.9), e4 (0.9)")
    assert digest.summary() == (
        "2 of 4 events that match what you want, of 4 published. Left out: 2 ranked below those chosen."
    )


def test_too_similar_to_those_chosen(digests, put, publish, next_digest):
    policy = {"mode": "periodic", "k": 2, "length": 3, "sigma": 0.1, "attributes": ["genre", "actor"]}
    put(DRAMA, COMEDY, {"kind": "policy", **policy})
    digests.set_schedule("ann", MORNINGS)
    publish(drama(actor="A"), drama(actor="A"), comedy(actor="B"))
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e2", "e3"]
    (_, left), *_ = digests.left_out("ann", digest.kept.number)
    assert (left.event, left.reason) == ("e1", "similar")
    assert left.detail == "rank 0.9, but at distance 0 from e2 (0.9), which was chosen"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"novelty": "random", "rate": 0.3}, {"chance"}),
        ({"novelty": "sampling", "rate": 0.3, "period": 10}, {"chance", "budget"}),
        ({"novelty": "threshold", "rate": 0.3, "period": 10, "scoring": "rate"}, {"seen", "budget"}),
        ({"novelty": "minimum", "rate": 1, "period": 10, "scoring": "score", "minimum": 0.7}, {"below"}),
    ],
)
def test_stopped_by_a_filter(digests, put, publish, next_digest, options, expected):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "all", "filter": options})
    digests.set_schedule("ann", MORNINGS)
    publish(*[drama() if number % 3 else comedy() for number in range(40)])
    digest = next_digest()
    assert digest.kept.counts["exact"]
    assert set(digest.kept.counts["reasons"]) <= expected
    assert digest.kept.counts["left_out"] + digest.kept.delivered == 40
    assert digest.kept.counts["left_out"] > 0
    for _, left in digests.left_out("ann", digest.kept.number):
        assert "filter" in left.detail


def test_kept_from_the_user_by_the_publisher(digests, put, publish, next_digest, store):
    put(DRAMA, {**DRAMA, "id": "b1", "user": "bob", "weight": 5})
    offer = {"kind": "advertisement", "id": "a1", "publisher": "p", "where": "true", "k": 1, "score": "weight"}
    store.change(put=[decode_record(offer)])
    digests.set_schedule("ann", MORNINGS)
    publish(drama(), advertisement="a1")
    publish(drama())
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e2"]
    assert reasons(digests, digest) == {"e1": "publisher"}
    assert digest.kept.counts["exact"]


def test_what_waits_for_the_end_of_its_period_is_neither_sent_nor_left_out(digests, put, publish, next_digest):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 3})
    digests.set_schedule("ann", MORNINGS)
    publish(drama(), comedy())
    first = next_digest()
    assert (first.kept.delivered, first.kept.counts["waiting"], first.kept.counts["left_out"]) == (0, 2, 0)
    assert first.summary() == "Nothing for you among 2 published. 2 still wait for a decision."
    publish(comedy(), drama())
    second = next_digest()
    assert [item.delivery.event for item in second.items] == ["e1"]
    assert reasons(digests, second) == {"e2": "below", "e3": "below"}
    assert second.kept.counts["waiting"] == 1


def test_what_waited_when_the_schedule_was_made_is_known(digests, put, publish, next_digest):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 3})
    publish(drama(), comedy())
    digests.set_schedule("ann", MORNINGS)
    publish(comedy())
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e1"]
    assert reasons(digests, digest) == {"e2": "below", "e3": "below"}
    assert digest.kept.counts["exact"]


def test_a_period_closed_by_hand_is_noticed(digests, put, publish, next_digest):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 5})
    digests.set_schedule("ann", MORNINGS)
    publish(drama(), comedy(), close=True)
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e1"]
    assert reasons(digests, digest) == {"e2": "below"}


def test_a_window_may_send_later_what_a_digest_called_left_out(digests, put, publish, next_digest):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "sliding", "k": 1, "length": 2})
    digests.set_schedule("ann", MORNINGS)
    publish(drama(), comedy())
    first = next_digest()
    assert reasons(digests, first) == {"e2": "below"}
    publish({"genre": "horror"})
    second = next_digest()
    assert [item.delivery.event for item in second.items] == ["e2"]
    assert second.kept.counts["reconsidered"] == 1
    assert second.kept.counts["exact"]


def test_the_catalog_may_change_in_between(digests, put, publish, next_digest, store):
    put(DRAMA, {"kind": "policy", "mode": "periodic", "k": 1, "length": 3})
    digests.set_schedule("ann", MORNINGS)
    publish(drama(), comedy())
    put(COMEDY, {"kind": "subscription", "id": "b1", "user": "bob", "where": "true"})
    publish(comedy())
    put({"kind": "policy", "mode": "all"})
    publish(comedy())
    digest = next_digest()
    assert digest.kept.counts["exact"]
    assert [item.delivery.event for item in digest.items] == ["e1", "e4"]
    assert reasons(digests, digest) == {"e3": "below"}
    assert digest.kept.counts["matched"] == 3


def test_a_user_who_unsubscribes_while_something_waits(digests, put, publish, next_digest, store):
    put(DRAMA, {"kind": "policy", "mode": "periodic", "k": 1, "length": 3})
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    store.change(remove=[decode_record({**DRAMA, "user": "ann"})])
    publish(drama())
    digest = next_digest()
    assert reasons(digests, digest) == {"e1": "unsubscribed"}
    assert (digest.kept.counts["matched"], digest.kept.counts["exact"]) == (1, True)
    put(DRAMA)
    publish(drama(), drama(), drama())
    later = next_digest()
    assert [item.delivery.event for item in later.items] == ["e3"]  # the last of the period in which it was
    assert (later.kept.counts["waiting"], later.kept.counts["exact"]) == (2, True)


def test_a_digest_that_was_not_made_in_time_is_made_later_and_holds_more(digests, put, publish, clock, next_digest):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    clock.advance(days=3)
    publish(drama())
    (number,) = digests.round()
    assert digests.digest("ann", number).kept.delivered == 2
    assert digests.round() == []
    assert digests.schedule("ann").next == MORNINGS.after(clock.now)


def test_of_too_many_events_only_the_last_are_examined_and_this_is_said(digests, put, publish, store, clock):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 2})
    digests.set_schedule("ann", MORNINGS)
    publish(*[drama(), comedy()] * 10)
    make(store, digests.schedule("ann"), clock(), examined=6, listed=2)
    digest = digests.digest("ann", 1)
    counts = digest.kept.counts
    assert (counts["published"], counts["not_examined"], counts["delivered"]) == (20, 14, 10)
    assert (counts["left_out"], counts["listed"], counts["exact"]) == (3, 2, False)
    assert "Of the 14 oldest it is not known why they were left out." in digest.summary()
    publish(drama(), comedy())
    make(store, digests.schedule("ann"), clock())
    assert digests.digest("ann", 2).kept.counts["exact"]


@pytest.mark.parametrize("state", [b"\xc1", b"\x80", b"\x90", None])
def test_a_state_that_cannot_be_used_costs_exactness_for_a_while_and_no_digest(
    digests, put, publish, store, clock, next_digest, state
):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 3})
    publish(drama(), comedy())
    kept = digests.set_schedule("ann", MORNINGS)
    digests.remove_schedule("ann")
    foreign = msgspec.msgpack.encode({"waiting": [], "subscriber": {"mode": {"of": "another release"}, "score": {}}})
    DigestLog(store.database).put_schedule(replace(kept, state=foreign if state is None else state))
    publish(comedy())
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e1"]
    assert not digest.kept.counts["exact"]
    publish(drama(), drama(), drama())
    assert next_digest().kept.counts["exact"]


def test_two_processes_make_one_digest(digests, put, publish, store, clock, monkeypatch):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    start = digests.schedule("ann")
    assert make(store, start, clock()) == 1
    assert make(store, start, clock()) is None
    assert DigestLog(store.database).last() == 1


def test_a_removed_schedule_is_not_brought_back_by_a_digest_under_way(digests, put, publish, store, clock):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    start = digests.schedule("ann")
    digests.remove_schedule("ann")
    assert make(store, start, clock()) is None
    assert digests.schedule("ann") is None


def test_changing_the_time_keeps_what_was_gathered(digests, put, publish, clock):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    kept = digests.set_schedule("ann", Schedule.of_json({"days": "daily", "at": "20:00", "zone": "Europe/Berlin"}))
    assert kept.next.isoformat() == "2026-05-04T18:00:00+00:00"
    clock.now = kept.next
    (number,) = digests.round()
    assert digests.digest("ann", number).kept.delivered == 1


def test_what_is_delivered_while_a_schedule_is_made_is_before_it(digests, put, publish, store, monkeypatch):
    """So that webhooks do not send it on its own and in a digest too."""
    put(DRAMA)
    publish(drama())
    looking = DigestLog.cut_with_states
    looks = []

    def meanwhile(log):
        seen = looking(log)
        looks.append(seen)
        if len(looks) == 1:
            publish(drama())
        return seen

    monkeypatch.setattr(DigestLog, "cut_with_states", meanwhile)
    kept = digests.set_schedule("ann", MORNINGS)
    assert len(looks) == 2
    assert (kept.since, kept.reached.offset) == (2, 2)


POLICIES = st.sampled_from(
    [
        {"mode": "all"},
        {"mode": "periodic", "k": 1, "length": 3},
        {"mode": "periodic", "k": 2, "length": 5, "sigma": 0.3},
        {"mode": "periodic", "k": 2, "length": "4s"},
        {"mode": "periodic", "k": 2, "length": 3, "unit": "matched"},
        {"mode": "sliding", "k": 2, "length": 4, "sigma": 0.5},
        {"mode": "sliding", "k": 1, "length": 3},
        {"mode": "history", "k": 2, "length": 4, "sigma": 0.5},
        {"mode": "all", "filter": {"novelty": "threshold", "rate": 0.5, "period": 4}},
        {"mode": "periodic", "k": 1, "length": 4, "filter": {"novelty": "random", "rate": 0.5}},
        {"mode": "all", "score": {"preference": 0.5, "novelty": 0.5}, "filter": {"novelty": "random", "rate": 0.7}},
    ]
)
CUTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["drama", "comedy", "horror"]), max_size=9),
        st.sampled_from(["nothing", "policy", "subscribe", "unsubscribe", "bob"]),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(POLICIES, min_size=5, max_size=5), CUTS)
def test_whatever_happens_nothing_is_lost_or_twice_and_all_is_accounted_for(tmp_path_factory, policies, cuts):
    """Digests cut the deliveries into pieces; what matched was sent, was left out, or waits; retracing agrees with the
    pipeline; and one who starts anew between any two digests makes the same."""
    now = MORNINGS.after(decode_event({"id": "x", "time": "2026-05-04", "attributes": {}}).time)

    def clock():
        return now

    place = tmp_path_factory.mktemp("store") / "store.db"
    with Store.create(place, clock=clock) as store:

        def put(*records):
            store.change(put=[decode_record({"user": "ann", **record}) for record in records])

        class Service:
            pass

        Service.store = store
        put(DRAMA, COMEDY, {"kind": "policy", **policies[0]})
        Digests(Service).set_schedule("ann", MORNINGS)
        count, waiting, found = 0, 0, []
        for (genres, change), policy in zip(cuts, policies, strict=False):
            events = []
            for genre in genres:
                count += 1
                now += timedelta(seconds=1)
                events.append(decode_event({"id": f"e{count}", "attributes": {"genre": genre}}, now=now))
            store.publish(events)
            list(serve_pending(store, batch=4))
            match change:
                case "policy":
                    put({"kind": "policy", **policy})
                case "subscribe":
                    put(DRAMA, {**COMEDY, "score": 1.0})
                case "unsubscribe":
                    kept = store.catalog().subscriptions_of("ann")
                    store.change(remove=kept[:1])
                case "bob":
                    put({"kind": "subscription", "id": "b1", "user": "bob", "where": f"year = {count}"})
            now = MORNINGS.after(now)
            (number,) = Digests(Service).round()
            digest = read_digest(store, "ann", number)
            counts = digest.kept.counts
            assert counts["exact"], counts
            assert waiting + counts["matched"] + counts["reconsidered"] == (
                counts["delivered"] + counts["left_out"] + counts["waiting"]
            )
            assert sum(counts["reasons"].values()) == counts["left_out"]
            assert set(counts["reasons"]) <= {reason.value for reason in Reason}
            waiting = counts["waiting"]
            found += [place for place, _ in deliveries_of(store, digest.kept)]
        assert found == [place for place, _ in store.deliveries("ann")]
