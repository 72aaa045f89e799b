"""semantics: Delivery modes: plain publish/subscribe."""

from rankcast.choose import AllEvents, Moment
from rankcast.model import EPOCH


def test_every_match_is_sent_at_once(genres, publish):
    steps = publish(AllEvents(), genres)
    assert [step.sent for step in steps] == [(each,) for each in genres]
    assert [step.window for step in steps] == [each.seq for each in genres]
    assert all(step.forwarded == step.sent[0].event.time for step in steps)


def test_what_does_not_match_is_not():
    assert AllEvents().publish(Moment(1, EPOCH), None) == []
