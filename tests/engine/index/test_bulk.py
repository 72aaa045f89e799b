import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.building import IndexedSubscriptions, build
from rankcast.engine.index.bulk import BETWEEN, EXISTS, OPERATORS, Conjunctions, bulk_draft
from rankcast.engine.index.index import Index
from rankcast.engine.index.texts import PackedStrings
from rankcast.matching.oracle import matches
from rankcast.matching.outcomes import NO_CONCEPTS
from rankcast.model import And, Between, Compare, Exists, Predicate
from rankcast.testing import strategies

NAMES = ["a", "p"]
TEXTS = ["x", "y", "xy"]
numbers = st.integers(0, 8).map(lambda half: half / 2)
number_rows = st.tuples(st.just(0), st.sampled_from([0, 1, 2, 3, 4, 5, BETWEEN, EXISTS]), numbers, numbers, st.just(-1))
text_rows = st.tuples(st.just(1), st.integers(0, 8), st.just(0.0), st.just(0.0), st.integers(0, 2))
conjunctions = st.lists(st.lists(st.one_of(number_rows, text_rows), min_size=1, max_size=3), min_size=1, max_size=8)


def predicate(row):
    attribute, op, low, high, text = row
    if op == EXISTS:
        return Predicate(NAMES[attribute], Exists())
    if op == BETWEEN:
        return Predicate(NAMES[attribute], Between(*sorted((low, high))))
    return Predicate(NAMES[attribute], Compare(OPERATORS[op], TEXTS[text] if text >= 0 else low))


@given(conjunctions, st.lists(strategies.events(), max_size=4))
def test_columns_match_as_expressions_do(given_rows, events):
    rows = [row for one in given_rows for row in one]
    start = np.concatenate([[0], np.cumsum([len(one) for one in given_rows])])
    attribute, op, low, high, text = (np.array(column) for column in zip(*rows, strict=True))
    columns = Conjunctions(
        start, NAMES, attribute.astype(np.int32), op.astype(np.int8), np.where(op == BETWEEN, np.minimum(low, high), low),
        np.maximum(low, high), text.astype(np.int32), TEXTS,
    )  # fmt: skip
    draft, owner = bulk_draft(columns)
    count = len(given_rows)
    members = IndexedSubscriptions(
        PackedStrings.of(map(str, range(count))),
        np.zeros(count, np.int32),
        PackedStrings.of("u"),
        np.ones(count),
        owner,
    )
    index = Index(build(draft, members))
    found = index.candidates(index.encoder.encode(events))
    wheres = [[predicate(row) for row in one] for one in given_rows]
    expressions = [And(tuple(parts)) if len(parts) > 1 else parts[0] for parts in wheres]
    assert list(zip(found.event.tolist(), found.subscription.tolist(), strict=True)) == [
        (e, s)
        for e, event in enumerate(events)
        for s, where in enumerate(expressions)
        if matches(where, event, NO_CONCEPTS)
    ]


def test_equal_conjunctions_share_one_expression():
    columns = Conjunctions(
        np.array([0, 2, 4]), NAMES, np.array([0, 1, 1, 0], np.int32), np.zeros(4, np.int8), np.array([1.0, 0, 0, 1]),
        np.zeros(4), np.array([-1, 2, 2, -1], np.int32), TEXTS,
    )  # fmt: skip
    draft, owner = bulk_draft(columns)
    assert owner.tolist() == [0, 0]
    assert len(draft.entry_owner) == 1
