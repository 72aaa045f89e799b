"""Subscriptions over the films, drawn as in the DEBS'09 experiments (section 7.1)."""

import itertools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import TypeVar

from rankcast.lab.datasets.movies import read_films
from rankcast.model import And, Between, Compare, Op, Predicate, Subscription, Test

__all__ = ["subscriptions"]

Value = TypeVar("Value", int, str)

ATTRIBUTES = ("genre", "year", "rating", "length", "mpaa", "title")
"""From the most to the least popular in subscriptions; those that the paper's events have."""

SCORES = (0.38, 0.58, 0.78)
"""The middle score of subscriptions of one, two and three predicates: with their shares, 0.51 on average."""

SPREAD = 0.3
TITLE_WORDS = 100


def subscriptions(users: int, per_user: int, seed: int = 0, skew: float = 1.0) -> list[Subscription]:
    """Conjunctions over the films for the users ``u00001`` and on, each with its own `per_user`.

    How many attributes a subscription has (one to three), which, and with which value is drawn from zipf
    distributions of exponent `skew`; popular values are those that many films have. Years, ratings and lengths
    are asked for by band: a decade, a mark, half an hour. The more predicates, the higher the score in general;
    the mean score is about 0.5.

    All is drawn from a hash of (seed, user, number), so that neither more users nor more subscriptions change
    what the others have. About 20 µs each, after 1 s to read the films.
    """
    return [
        _subscription(user, number, seed, skew) for user in range(1, users + 1) for number in range(1, per_user + 1)
    ]


def _subscription(user: int, number: int, seed: int, skew: float) -> Subscription:
    def uniform(purpose: str) -> float:
        digest = blake2b(f"{seed}/{user}/{number}/{purpose}".encode(), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64

    count = 1 + _zipf(len(SCORES), skew, uniform("count"))
    left = list(ATTRIBUTES)
    chosen = [left.pop(_zipf(len(left), skew, uniform(f"attribute {place}"))) for place in range(count)]
    predicates = []
    for attribute in sorted(chosen, key=ATTRIBUTES.index):
        values = _by_popularity()[attribute]
        predicates.append(values[_zipf(len(values), skew, uniform(f"value of {attribute}"))])
    return Subscription(
        id=f"u{user:05}-{number}",
        user=f"u{user:05}",
        where=predicates[0] if count == 1 else And(tuple(predicates)),
        score=round(SCORES[count - 1] + SPREAD * (uniform("score") - 0.5), 2),
    )


def _zipf(n: int, skew: float, uniform: float) -> int:
    """A rank from 0 to n - 1, the r-th with a probability in proportion to (r + 1)^-skew."""
    limits = _zipf_limits(n, skew)
    return min(bisect_right(limits, uniform * limits[-1]), n - 1)


@cache
def _zipf_limits(n: int, skew: float) -> list[float]:
    return list(itertools.accumulate((rank + 1) ** -skew for rank in range(n)))


@cache
def _by_popularity() -> dict[str, list[Predicate]]:
    """For each attribute the predicates to draw from, first that which most films have."""
    films = read_films()
    genres = _ranked(genre for film in films for genre in film.get("genre", ()))
    decades = _ranked(film["year"] // 10 for film in films)
    marks = _ranked(int(film["rating"]) for film in films)
    half_hours = _ranked(film["length"] // 30 for film in films)
    ages = _ranked(film["mpaa"] for film in films if "mpaa" in film)
    words = _ranked(word for film in films for word in set(re.findall(r"[A-Z][a-z]{3,}", film["title"])))
    tests: dict[str, list[Test]] = {
        "genre": [Compare(Op.EQ, genre) for genre in genres],
        "year": [Between(10 * decade, 10 * decade + 9) for decade in decades],
        "rating": [Between(mark, mark + 0.9) for mark in marks],
        "length": [Between(30 * half, 30 * half + 29) for half in half_hours],
        "mpaa": [Compare(Op.EQ, age) for age in ages],
        "title": [Compare(Op.CONTAINS, word) for word in words[:TITLE_WORDS]],
    }
    return {attribute: [Predicate(attribute, test) for test in tests[attribute]] for attribute in ATTRIBUTES}


def _ranked(values: Iterable[Value]) -> list[Value]:
    counts = Counter(values)
    return sorted(counts, key=lambda value: (-counts[value], value))
