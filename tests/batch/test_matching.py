"""The seam between matcher and arrays."""

import random

from rankcast.batch.matching import OneByOne
from rankcast.match import OracleMatcher


def test_one_by_one_gives_what_the_matcher_gives(worlds):
    chance = random.Random(0)
    catalog = worlds.catalog(chance)
    given = list(catalog.subscriptions.values())
    matcher = OracleMatcher(
        given, lambda user: lambda name, term: catalog.membership(name, term, user), shared=catalog.membership
    )
    events = worlds.events(chance, 20)
    found = OneByOne(given, matcher).match_batch(events)
    expected = [(place, s.id, degree) for place, event in enumerate(events) for s, degree in matcher.match(event)]
    pairs = zip(found.event.tolist(), found.subscription.tolist(), found.degree.tolist(), strict=True)
    assert [(place, given[number].id, degree) for place, number, degree in pairs] == expected
    assert [len(column) for column in OneByOne([], OracleMatcher([])).match_batch(events)] == [0, 0, 0]
