from datetime import UTC, datetime

from rankcast.engine.index.building import build
from rankcast.engine.index.index import Index
from rankcast.engine.index.matcher import draft_of
from rankcast.engine.index.sampling import RecentEvents
from rankcast.language import parse
from rankcast.matching.outcomes import NO_CONCEPTS
from rankcast.model import Event, Interval, Subscription

START = datetime(2026, 1, 1, tzinfo=UTC)


def test_an_entry_is_filed_under_what_events_seldom_have():
    subscriptions = [Subscription("s", "u", parse("a = 1 and b = 2"))]
    for common, rare in (("a", "b"), ("b", "a")):
        recent = RecentEvents()
        recent.add([Event("e", START, {common: (1 if common == "a" else 2,), "c": Interval(1, 2)})] * 50)
        index = Index(build(*draft_of(subscriptions, lambda user: NO_CONCEPTS), recent.sampler()))
        compiled = index.compiled
        (used,) = [
            name
            for name in "ab"
            for number in [list(compiled.attribute_names).index(name)]
            for level, base in compiled.levels[compiled.level_start[number] : compiled.level_start[number + 1]]
            if (compiled.list_start[base + 1 : base + 6] > compiled.list_start[base : base + 5]).any()
        ]
        assert used == rare


def test_no_events_no_sample():
    assert RecentEvents().sampler() is None
