from hypothesis import Phase, given, settings

from rankcast.model import Decaying, Filter, NoveltyPart, Policy, predicates_of
from rankcast.model.declared import declared
from rankcast.model.declared import given as made_of
from rankcast.testing import wild


@settings(max_examples=30)
@given(wild.expressions(), wild.events(), wild.records())
def test_all_that_is_made_is_allowed(expression, event, record):
    assert all(predicate.attribute for predicate in predicates_of(expression))
    assert event.id
    assert record == record


def test_every_field_of_a_policy_has_values_besides_its_default():
    """So that round trips and comparisons of engines meet every field that somebody adds."""
    seen = set()

    @settings(max_examples=200, phases=[Phase.generate])
    @given(wild.policies())
    def draw(policy):
        for part in (policy, policy.filter, policy.decay, policy.novelty):
            seen.update((type(part), name) for name in (made_of(part) if part is not None else ()))

    draw()
    records = (Policy, Filter, Decaying, NoveltyPart)
    assert {(record, field.name) for record in records for field in declared(record)} - seen == set()
