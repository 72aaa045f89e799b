from datetime import timedelta

import pytest

from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Length, Mode, Policy, ScorePart, Unit


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Policy("ann", mode=Mode.SLIDING), "needs both 'k' and 'length'"),
        (lambda: Policy("ann", k=0), "k is 0"),
        (lambda: Policy("ann", sigma=1.5), "sigma is 1.5"),
        (lambda: Policy("ann", sigma=float("nan")), "sigma is nan"),
        (lambda: Policy("ann", weights={"genre": -1.0}), "'genre' in weights is -1.0"),
        (lambda: Policy("ann", score={ScorePart.NOVELTY: 0.0}), "at least one part"),
        (lambda: Policy("ann", attributes=()), "attributes has 0 names"),
        (lambda: Policy(""), "user is empty"),
        (lambda: Length(0), "must lie in 1..1,000,000"),
        (lambda: Length(timedelta(0), Unit.TIME), "must lie in 1 ms..3,660 days"),
        (lambda: Length(5, Unit.TIME), "cannot be 5"),
        (lambda: Filter(FilterKind.RANDOM, rate=0), "rate is 0"),
        (lambda: Filter(FilterKind.RANDOM, rate=0.5, period=0), "period is 0"),
        (lambda: Filter(FilterKind.RANDOM, rate=0.5, aging=2), "aging is 2"),
        (lambda: Filter(FilterKind.THRESHOLD, rate=0.01, period=50), "less than one event"),
    ],
)
def test_policies_that_cannot_be_are_refused(make, says):
    with pytest.raises(ModelError, match=says):
        make()
