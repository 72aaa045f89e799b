"""Posets, compared with the relation of all pairs."""

import random
from functools import partial

import pytest

from rankcast.cover import Poset
from rankcast.errors import ModelError
from rankcast.language import parse
from rankcast.model import LeftShoulder

BOXES = {  # semantics: Producer-side top-k: x and y intervals
    "s1": (1, 10, 1, 10),
    "s2": (1, 10, 1, 5),
    "s3": (3, 7, 1, 8),
    "s4": (9, 10, 9, 10),
    "s5": (1, 5, 1, 5),
    "s6": (3, 10, 2, 4),
    "s7": (3, 6, 1, 5),
}


def boxes() -> Poset:
    poset = Poset()
    for key, (left, right, low, high) in BOXES.items():
        poset.add(key, parse(f"x between {left} and {right} and y between {low} and {high}"))
    return poset


def test_the_example_of_spec_7():
    poset = boxes()
    assert [key for key in poset if poset.depth(key) <= 2] == ["s1", "s2", "s3", "s4"]
    assert [key for key in poset if len(poset.ancestors(key)) < 3] == ["s1", "s2", "s3", "s4", "s5", "s6"]
    assert poset.roots() == ("s1",)
    assert poset.children("s1") == ("s2", "s3", "s4")
    assert poset.parents("s7") == ("s2", "s3")
    assert poset.ancestors("s7") == ("s1", "s2", "s3")
    assert poset.descendants("s2") == ("s5", "s6", "s7")
    assert poset.most_specific() == ("s4", "s5", "s6", "s7")
    assert poset.most_specific(["s3", "s1", "s2"]) == ("s2", "s3")


def test_most_specific_of_spec_2():
    poset = Poset()
    poset.add("burton", parse("genre = 'drama' and director = 'T. Burton'"))
    poset.add("drama", parse("genre = 'drama'"))
    assert poset.most_specific(["drama", "burton"]) == ("burton",)
    assert poset.most_specific(["drama"]) == ("drama",)
    assert poset.most_specific([]) == ()


def test_equal_elements_share_a_place():
    poset = Poset()
    for key, text in {"a": "x in (1, 2)", "b": "x exists", "c": "x = 1 or x = 2", "d": "x = 1"}.items():
        poset.add(key, parse(text))
    assert poset.equals("a") == poset.equals("c") == ("a", "c")
    assert poset.children("b") == ("a", "c")
    assert poset.depth("c") == 2
    assert poset.depth("d") == 3
    assert poset.most_specific(["a", "c"]) == ("a", "c")
    poset.remove("a")
    assert poset.parents("d") == ("c",)
    poset.remove("c")
    assert poset.parents("d") == ("b",)
    assert poset.depth("d") == 2


def test_concepts_need_their_meaning():
    texts = {"near": "x is cheap", "far": "x <= 1000"}
    with_meaning, without = Poset(meaning=lambda attribute, term: LeftShoulder(500, 900)), Poset()
    for key, text in texts.items():
        with_meaning.add(key, parse(text))
        without.add(key, parse(text))
    assert with_meaning.parents("near") == ("far",)
    assert without.roots() == ("near", "far")


def divides(a: int, b: int) -> bool:
    return b % a == 0


def test_any_order_by_additions_and_removals():
    """Divisibility, with each number under two keys; after each change all answers follow from the pairs."""
    rng = random.Random(9)
    poset: Poset[int] = Poset(divides)
    numbers: dict[str, int] = {}
    for _ in range(150):
        if numbers and rng.random() < 0.4:
            key = rng.choice(list(numbers))
            del numbers[key]
            poset.remove(key)
        else:
            number, copy = rng.randint(1, 24), rng.choice("ab")
            key = f"{number}{copy}"
            if key not in numbers:
                numbers[key] = number
                poset.add(key, number)
        assert list(poset) == list(numbers)
        assert len(poset) == len(numbers)
        for key in numbers:
            _check(poset, numbers, key)
        assert poset.roots() == tuple(key for key in numbers if not poset.ancestors(key))
        some = rng.sample(list(numbers), min(5, len(numbers)))
        assert poset.most_specific(some) == tuple(
            key for key in numbers if key in some and not any(other in poset.descendants(key) for other in some)
        )


def _check(poset: Poset[int], numbers: dict[str, int], key: str) -> None:
    def strictly(a: str, b: str) -> bool:
        return numbers[a] != numbers[b] and divides(numbers[a], numbers[b])

    above = [other for other in numbers if strictly(other, key)]
    below = [other for other in numbers if strictly(key, other)]
    assert poset.ancestors(key) == tuple(above)
    assert poset.descendants(key) == tuple(below)
    assert poset.parents(key) == tuple(a for a in above if not any(strictly(a, b) for b in above))
    assert poset.children(key) == tuple(b for b in below if not any(strictly(a, b) for a in below))
    assert poset.equals(key) == tuple(other for other in numbers if numbers[other] == numbers[key])
    assert poset.depth(key) == max((1 + poset.depth(a) for a in above), default=1)


def test_a_strict_relation_makes_no_equals():
    poset: Poset[tuple[int, int]] = Poset(lambda a, b: a != b and a[0] >= b[0] and a[1] >= b[1])
    for key, element in {"a": (1, 1), "b": (1, 1), "c": (0, 1)}.items():
        poset.add(key, element)
    assert poset.equals("a") == ("a",)
    assert poset.parents("c") == ("a", "b")


def test_a_relation_that_misses_steps_still_gives_an_order():
    known = {("a", "b"), ("b", "c"), ("c", "a")}
    poset: Poset[str] = Poset(lambda a, b: a == b or (a, b) in known)
    for key in "abc":
        poset.add(key, key)
    assert sorted(poset.depth(key) for key in poset) == [1, 2, 3]
    assert poset.most_specific() == ("b",)


def test_it_asks_at_most_twice_per_place():
    asked = []
    poset: Poset[int] = Poset(lambda a, b: bool(asked.append((a, b))) or divides(a, b))
    for number in range(1, 31):
        poset.add(str(number), number)
    assert len(asked) <= 2 * (30 * 29 / 2)
    assert len(set(asked)) == len(asked)


def test_unknown_and_repeated_keys():
    poset = boxes()
    with pytest.raises(ModelError, match="'s1' is in the poset already"):
        poset.add("s1", parse("x = 1"))
    for use in (poset.remove, poset.parents, poset.depth, poset.equals, partial(poset.most_specific, ["s1"])):
        assert "nobody" not in poset
        with pytest.raises(ModelError, match="'nobody' is not in the poset"):
            poset.most_specific(["nobody"]) if isinstance(use, partial) else use("nobody")
    assert len(poset) == 7


def test_deep_chains():
    poset: Poset[int] = Poset(lambda a, b: a <= b)
    for number in range(300):
        poset.add(str(number), number)
    assert poset.depth("299") == 300
