from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.trees import LiteralEntry, entries_of, program_of, tree_of
from rankcast.engine.index.words import ACCEPT
from rankcast.model import Always, And, Compare, Not, Op, Or, Predicate

LITERALS = 5
TRUTHS = st.lists(st.booleans(), min_size=LITERALS, max_size=LITERALS)
leaves = st.one_of(st.integers(0, LITERALS - 1).map(lambda i: Predicate(f"a{i}", Compare(Op.EQ, 1))), st.just(Always()))
expressions = st.recursive(
    leaves,
    lambda smaller: st.one_of(
        st.lists(smaller, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(smaller, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.builds(Not, smaller),
    ),
    max_leaves=8,
)


def literal(predicate, negated):
    """Even numbers are predicates, odd ones their negations."""
    return 2 * int(predicate.attribute[1:]) + negated


def truth(where, truths):
    match where:
        case Predicate():
            return truths[int(where.attribute[1:])]
        case And(parts):
            return all(truth(part, truths) for part in parts)
        case Or(parts):
            return any(truth(part, truths) for part in parts)
        case Not(part):
            return not truth(part, truths)
    return True


def holds(number, truths):
    return truths[number // 2] != bool(number % 2)


def run(instructions, at, truths):
    while at >= 0:
        number, accept, reject = instructions[at]
        at = accept if holds(number, truths) else reject
    return at == ACCEPT


@given(expressions, TRUTHS)
def test_a_program_computes_the_expression(where, truths):
    instructions = []
    begin = program_of(tree_of(where, literal), instructions)
    assert run(instructions, begin, truths) == truth(where, truths)


@given(expressions, TRUTHS)
def test_some_entry_holds_iff_the_expression_does(where, truths):
    entries = entries_of(tree_of(where, literal), lambda number: number % 2 == 0)
    held = False
    for entry in entries:
        instructions = []
        begin = program_of(entry.rest, instructions)
        held |= all(holds(number, truths) for number in entry.literals) and run(instructions, begin, truths)
    assert held == truth(where, truths)


def test_alternatives_are_filed_one_by_one_and_not_multiplied_out():
    tree = ("and", (("or", (0, 2, 4)), ("or", (6, 8))))
    assert entries_of(tree, lambda number: True) == [LiteralEntry((6,), tree), LiteralEntry((8,), tree)]


def test_an_expression_without_a_key_is_one_entry():
    assert entries_of(("and", (1, 3)), lambda number: number % 2 == 0) == [LiteralEntry((1, 3))]
    assert entries_of(True, lambda number: True) == [LiteralEntry(())]
    assert entries_of(False, lambda number: True) == []
