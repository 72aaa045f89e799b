"""Sets of strings: containment is exact, compared with all short strings over a small alphabet."""

import itertools
import random

import pytest

from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.cover.strings import ALL, NONE, StringLine

# \0 is the least character, "~" one that no literal below has.
STRINGS = ["".join(letters) for size in range(7) for letters in itertools.product("\0ab~", repeat=size)]
LITERALS = ["a", "b", "ab", "ba", "aa", "a\0"]


def mask(texts: StringLine) -> int:
    """The short strings in the set, as bits, with the sets' own definition written out."""
    bits = 0
    for i, string in enumerate(STRINGS):
        inside = any(
            (start is None or start[0] <= string) and (end is None or string < end[0])
            for start, end in texts.line.pieces()
        )
        inside = inside or any(word in string for word in texts.contains)
        if inside or any(string.endswith(word) for word in texts.endswith):
            bits |= 1 << i
    return bits


def random_atom(rng: random.Random) -> StringLine:
    literal, other = rng.choice(LITERALS), rng.choice(LITERALS)
    return rng.choice(
        [
            StringLine.these([literal, other]),
            ~StringLine.these([literal]),
            StringLine.interval(min(literal, other), max(literal, other) + "\0"),
            StringLine.interval(literal, None),
            StringLine.interval("", literal),
            StringLine.starting(literal),
            StringLine.containing(literal),
            StringLine.containing(literal),
            StringLine.ending(literal),
        ]
    )


def test_containment_is_exact():
    rng = random.Random(5)
    atoms = [random_atom(rng) for _ in range(40)]
    unions = [a | b for a, b in zip(atoms[::2], atoms[1::2], strict=True)]
    triples = [union | rng.choice(atoms) for union in unions]
    sets = [*dict.fromkeys([*atoms, *unions, *triples, ALL, NONE])]
    masks = [mask(texts) for texts in sets]
    for (a, in_a), (b, in_b) in itertools.product(zip(sets, masks, strict=True), repeat=2):
        assert a.within(b) is (in_a & ~in_b == 0), f"{a}  |  {b}"


def test_membership_follows_the_definition():
    rng = random.Random(6)
    for _ in range(8):
        texts = random_atom(rng) | random_atom(rng)
        assert mask(texts) == sum(1 << i for i, string in enumerate(STRINGS) if texts.has(string))
        assert mask(texts) & mask(ALL) == mask(texts)


def test_an_interval_of_few_strings_is_those():
    assert StringLine.interval("a", "a\0\0") == StringLine.these(["a\0", "a"])
    assert StringLine.interval("", "\0") == StringLine.these([""])
    assert StringLine.interval("b", "a") == StringLine.interval("", "") == NONE


@pytest.mark.parametrize(
    ("prefix", "end"),
    [
        ("ab", "ac"),
        ("a\U0010ffff", "b"),
        ("\U0010ffff", None),
        ("a\ud7ff", "a\ue000"),  # the code points between are no characters
        ("", None),
    ],
)
def test_a_prefix_is_an_interval(prefix, end):
    assert StringLine.starting(prefix) == StringLine.interval(prefix, end)


def test_the_empty_pattern_is_every_string():
    assert StringLine.containing("") == StringLine.ending("") == StringLine.starting("") == ALL == StringLine(FULL)
    assert NONE == StringLine(EMPTY) == StringLine(ValueLine(False, ()))
    assert not NONE
    assert StringLine.containing("a")


def test_two_prefixes_that_only_together_hold_a_pattern():
    # All strings from 'ab' up to 'ad' go on from 'ab' or 'ac'.
    assert StringLine.interval("ab", "ad").within(StringLine.containing("ab") | StringLine.containing("ac"))
    assert not StringLine.interval("ab", "ae").within(StringLine.containing("ab") | StringLine.containing("ac"))


def test_long_literals_cost_little():
    long = "x" * 100_000
    assert StringLine.starting(long).within(StringLine.starting("x"))
    assert StringLine.starting(long).within(StringLine.containing(long))
    assert StringLine.these([long]).within(StringLine.ending("x" * 50_000))
    assert StringLine.containing(long).within(StringLine.containing("x"))
    assert not StringLine.starting(long).within(StringLine.containing("y"))
    assert not StringLine.containing(long).within(StringLine.starting("x"))


def test_an_interval_between_long_ends_is_judged_by_what_they_share():
    low, high = "ab" + "x" * 5_000, "ab" + "y" * 5_000
    assert StringLine.interval(low, high).within(StringLine.containing("ab"))
    assert not StringLine.interval(low, high).within(StringLine.containing("x") | StringLine.containing("y"))
