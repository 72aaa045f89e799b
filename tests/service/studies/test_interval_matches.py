"""Crisp and approximate matches of an interval (A-ToPSS, scenario 2)."""

from dataclasses import dataclass
from datetime import timedelta

from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Concept, Event, Interval, Norm, Subscription, Trapezoid
from rankcast.service.studies.interval_matches import CRISP, SUBSCRIBED, IntervalSetup, ranges, study_interval


@dataclass
class Log:
    events: list[Event]

    def read(self):
        return self.events


def event(number, **attributes):
    return Event(f"e{number}", EPOCH + timedelta(minutes=number), attributes, seq=number)


LOG = Log(
    [
        event(1, price=(500,), city=("Oslo",)),
        event(2, price=(2500,)),
        event(3, price=Interval(1000, 1200), city=("Rome",)),
    ]
)


def catalog():
    return Catalog(
        [
            Concept("cheap", "price", Trapezoid(0, 0, 1000, 2000)),
            Subscription("vague", "ann", parse("price is cheap")),
            Subscription("sure", "ann", parse("price is cheap [0.5, 0.5]")),
            Subscription("below", "ann", parse("price <= 1400")),
            Subscription("oslo", "ann", parse("price exists and city = 'Oslo'")),
            Subscription("other", "ann", parse("city = 'Rome'")),
            Subscription("theirs", "bob", parse("price >= 3000")),
        ]
    )


def test_the_numbers_of_recent_events():
    assert [(one.attribute, one.low, one.high) for one in ranges(LOG.events)] == [("price", 500, 2500)]


def test_who_matches_crisply_and_who_approximately():
    found = study_interval(LOG, catalog(), "ann", IntervalSetup("price", 1000, 2200))
    assert found.of == 4, "one of the five has nothing to do with the price"
    *matching, last = found.matches
    rows = {row.subscription.id: row for row in matching}
    assert set(rows) == {"vague", "sure", "below"}
    assert not last.crisp, "the newest publication with a price is in Rome"
    assert set(last.degrees.values()) == {(0.0, 0.0)}
    assert rows["below"].crisp is False, "the middle is 1600"
    assert rows["below"].degrees[SUBSCRIBED] == (1.0, 0.0)
    assert rows["vague"].degrees[SUBSCRIBED] == (1.0, 0.0)
    assert rows["sure"].degrees[SUBSCRIBED] == (0.0, 0.0)
    assert all(row.degrees["pessimistic"] == (0.0, 0.0) for row in rows.values())
    assert all(row.degrees["optimistic"][0] == 1 for row in rows.values())


def test_without_width_every_case_is_crisp_for_crisp_predicates_and_counts_grow_for_optimists():
    found = study_interval(LOG, catalog(), None, IntervalSetup("price", 1200, 1600))
    assert found.widths[0] == 0
    assert found.counts["optimistic"][0] == found.counts[CRISP][0] == 3
    assert list(found.counts["optimistic"]) == sorted(found.counts["optimistic"])
    assert list(found.counts["pessimistic"]) == sorted(found.counts["pessimistic"], reverse=True)


def test_the_aggregation_sets_the_degree():
    known = catalog()
    known.add(Concept("small", "size", Trapezoid(0, 0, 10, 20)))
    known.add(Subscription("both", "ann", parse("price is cheap and size is small")))
    log = Log([event(1, price=(500,), size=(15,))])
    by_norm = {
        norm: next(
            round(row.degrees[SUBSCRIBED][0], 9)
            for row in study_interval(log, known, "ann", IntervalSetup("price", 1400, 1500, norm)).matches
            if row.subscription.id == "both"
        )
        for norm in Norm
    }
    assert by_norm == {Norm.MIN: 0.5, Norm.PRODUCT: 0.3, Norm.LUKASIEWICZ: 0.1}
