"""What was left out, and what became of an event: every reason agrees with the log."""

import time
from typing import Any

from rankcast.language import decode_event, decode_record
from rankcast.service import Service
from rankcast.service.studies.left_out import publication_of, recently_left_out

MOST = 10_000


def served(service: Service, *xs: int, **policy: Any) -> None:
    where = {"kind": "subscription", "id": "s1", "user": "ann", "where": "x > 2", "score": 0.5}
    better = {"kind": "subscription", "id": "s2", "user": "ann", "where": "x > 6", "score": 0.9}
    service.put(*map(decode_record, (where, better, {"kind": "policy", "user": "ann", **policy})))
    service.put(decode_record({"kind": "subscription", "id": "s3", "user": "ben", "where": "x > 4"}))
    service.publish(
        [
            decode_event(
                {"id": f"e{at}", "time": f"2026-01-01T00:{at:02}:00Z", "attributes": {"title": f"Film {at}", "x": x}}
            )
            for at, x in enumerate(xs)
        ]
    )
    service.start()
    while service.store.progress().offset < len(xs):
        time.sleep(0.01)


def test_each_has_the_reason_that_decided(service: Service) -> None:
    served(service, 3, 9, 5, 1, mode="periodic", k=1, length=4)
    sent = {delivery.event for _, delivery in service.deliveries("ann")}
    page = recently_left_out(service.history(100), "ann", MOST)
    assert sent == {"e1"}
    assert [(one.event.id, one.rank, one.subscriptions) for one in page.events] == [
        ("e2", 0.5, ("s1",)),
        ("e0", 0.5, ("s1",)),
    ]
    assert {one.because for one in page.events} == {"Rank 0.5: the best had 0.9 or more, such as Film 1"}
    assert not page.has_more


def test_variety_names_what_it_is_too_like(service: Service) -> None:
    served(service, 7, 7, mode="periodic", k=1, length=2, sigma=0.5, attributes=["x"])
    (one,) = recently_left_out(service.history(100), "ann", MOST).events
    assert one.because == "Left out for variety: too like Film 1"


def test_what_waits_says_so_and_pages_go_on(service: Service) -> None:
    served(service, 5, 5, 5, mode="periodic", k=1, length=10)
    first = recently_left_out(service.history(100), "ann", MOST, limit=2)
    assert [one.event.id for one in first.events] == ["e2", "e1"]
    assert first.has_more
    assert first.events[0].because.startswith("Not sent yet: it waits for the end of its period")
    rest = recently_left_out(service.history(100), "ann", MOST, before=first.events[-1].event.seq)
    assert [one.event.id for one in rest.events] == ["e0"]


def test_a_publication_says_who_got_it_and_who_did_not(service: Service) -> None:
    served(service, 9, 5, 1, mode="sliding", k=1, length=10)
    second = publication_of(service.settings.store, MOST, "e1")
    assert second.sent == ["ben"]
    assert second.left_out == {"ann": "Rank 0.5: the best had 0.9 or more, such as Film 0"}
    third = publication_of(service.settings.store, MOST, "e2")
    assert (third.sent, third.left_out, third.unmatched) == ([], {}, 2)
