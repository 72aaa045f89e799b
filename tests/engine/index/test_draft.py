"""The draft holds each literal once, and entries that name them."""

from itertools import pairwise

from rankcast.engine.index.draft import Draft
from rankcast.engine.index.words import CHECKED, NEGATED, VAGUE
from rankcast.language import parse
from rankcast.model import LeftShoulder


def cheap(attribute, term):
    return LeftShoulder(10, 30)


def drafted(*texts, meaning=cheap):
    draft = Draft()
    for text in texts:
        draft.add(parse(text), meaning)
    return draft


def entries(draft):
    ends = draft.entry_start
    return [sorted(draft.entry_literals[a:b]) for a, b in pairwise(ends)]


def test_equal_predicates_are_one_literal():
    draft = drafted("a = 1 and b = 2", "b = 2 and a = 1.0", "a = 1")
    assert len(draft.literal_attribute) == 2
    assert entries(draft) == [[0, 1], [0, 1], [0]]
    assert list(draft.entry_owner) == [0, 1, 2]


def test_one_and_true_are_two():
    assert len(drafted("a = 1", "a = true").literal_attribute) == 2


def test_a_disjunction_is_several_entries_of_one_owner():
    draft = drafted("(a = 1 and b = 2) or c = 3")
    assert [len(entry) for entry in entries(draft)] == [2, 1]
    assert list(draft.entry_owner) == [0, 0]


def test_a_conjunction_of_alternatives_is_filed_by_the_shortest_with_a_program():
    draft = drafted("(a = 1 or a = 2 or a = 3) and (b = 1 or b = 2)")
    assert len(entries(draft)) == 2
    assert all(program >= 0 for program in draft.entry_program)


def test_a_negated_literal_is_no_key():
    draft = drafted("not (a = 1) and b = 2")
    negated = [place for place, flags in enumerate(draft.literal_flags) if flags & NEGATED]
    assert [draft.literal_key[place] for place in negated] == [-1]


def test_a_vague_predicate_is_the_range_of_its_cut_and_its_owner_is_checked():
    draft = drafted("price is cheap [0.5, 0]", "price between 1 and 2")
    assert list(draft.owner_flags) == [CHECKED, 0]
    assert list(draft.literal_flags) == [0, 0]


def test_a_necessity_above_the_possibility_asks_more_of_crisp_values():
    draft = drafted("price is cheap [0.2, 0.8]")
    vague = [place for place, flags in enumerate(draft.literal_flags) if flags & VAGUE]
    assert len(vague) == 1
    assert draft.literal_key[vague[0]] not in vague


def test_what_never_holds_has_no_entry_and_what_always_does_has_an_empty_one():
    draft = drafted("not true", "true")
    assert entries(draft) == [[]]
    assert list(draft.entry_owner) == [1]
