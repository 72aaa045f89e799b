from datetime import timedelta

import pytest

from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Length, Mode, Part, Policy, Unit


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Policy("ann", mode=Mode.SLIDING), "needs both 'k' and 'length'"),
        (lambda: Policy("ann", k=0), "k is 0"),
        (lambda: Policy("ann", sigma=1.5), "sigma is 1.5"),
        (lambda: Policy("ann", sigma=float("nan")), "sigma is nan"),
        (lambda: Policy("ann", weights={"genre": -1.0}), "weight of 'genre'"),
        (lambda: Policy("ann", score={Part.NOVELTY: 0.0}), "at least one part"),
        (lambda: Policy("ann", attributes=()), "at least one attribute"),
        (lambda: Policy(""), "needs a user"),
        (lambda: Length(0), "must be above 0"),
        (lambda: Length(timedelta(0), Unit.TIME), "must be above 0"),
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
