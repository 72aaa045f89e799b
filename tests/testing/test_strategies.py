from hypothesis import find, given
from hypothesis import strategies as st

from rankcast.model import Catalog, Concept, Is, predicates_of
from rankcast.testing import strategies


@given(strategies.expressions(fuzzy=True), strategies.events(fuzzy=True))
def test_concepts_are_all_defined(where, event):
    catalog = Catalog([Concept(name, attribute, meaning) for (attribute, name), meaning in strategies.CONCEPTS.items()])
    catalog.check_expression(where)
    catalog.check_event(event)


@given(strategies.expressions())
def test_plain_expressions_are_not_vague(where):
    for predicate in predicates_of(where):
        assert predicate.attribute in strategies.ATTRIBUTES
        assert predicate.thresholds is None
        assert not isinstance(predicate.test, Is)


def test_values_meet():
    pair = st.tuples(strategies.predicates(), strategies.events())
    assert find(pair, lambda both: both[0].attribute in both[1].attributes)


@given(strategies.subscriptions())
def test_subscriptions_have_ids_of_their_own(subscriptions):
    assert len(Catalog(subscriptions).subscriptions) == len(subscriptions)
