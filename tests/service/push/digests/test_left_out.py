"""What a digest left out, and why."""

import pytest
from digest_samples import COMEDY, DRAMA, MORNINGS, comedy, drama

from rankcast.language import decode_record


def reasons(digests, digest) -> dict[str, str]:
    return {left.event: left.reason for _, left in digests.left_out("ann", digest.kept.number)}


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


def test_kept_out_by_a_calm_window(digests, put, publish, next_digest):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "sliding", "k": 1, "length": 4, "calm": 0.5})
    digests.set_schedule("ann", MORNINGS)
    publish(comedy(), drama())
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e1"]
    (_, left), *_ = digests.left_out("ann", digest.kept.number)
    assert (left.event, left.reason) == ("e2", "calm")
    assert left.detail == "the set before was kept: the new one is better by only 0.4"


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
