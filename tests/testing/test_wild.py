from hypothesis import given, settings

from rankcast.model import predicates_of
from rankcast.testing import wild


@settings(max_examples=30)
@given(wild.expressions(), wild.events(), wild.records())
def test_all_that_is_made_is_allowed(expression, event, record):
    assert all(predicate.attribute for predicate in predicates_of(expression))
    assert event.id
    assert record == record
