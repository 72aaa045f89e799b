"""Subscribers to films: random subscriptions as in the DEBS'09 experiments (section 7.1), and the demo's users."""

import itertools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.resources import as_file, files
from typing import TypeVar

from rankcast.errors import CatalogError
from rankcast.lab.datasets.movies import read_films
from rankcast.language import read_catalog
from rankcast.model import And, Between, Catalog, Compare, Op, Predicate, Subscription, Test

Value = TypeVar("Value", int, str)

ATTRIBUTES = ("genre", "year", "rating", "length", "mpaa", "title")
"""The attributes of the paper's events, from the most to the least popular in subscriptions."""

SCORES = (0.38, 0.58, 0.78)
"""The mean score of subscriptions with one, two and three predicates; 0.51 on average, given their shares."""

SPREAD = 0.3
TITLE_WORDS = 100


def subscriptions(users: int, per_user: int, seed: int = 0, skew: float = 1.0) -> list[Subscription]:
    """Random conjunctions over the films: `per_user` for each of the users ``u00001``, ``u00002`` and so on.

    The number of attributes (one to three), the attributes and their values are drawn from Zipf distributions of
    exponent `skew`. Popular values are those that many films have. Years, ratings and lengths are ranges: a decade,
    one rating point, half an hour. Scores tend to grow with the number of predicates; their mean is about 0.5.

    Every draw is a hash of (seed, user, number), so adding users or subscriptions does not change the others. A
    subscription takes about 20 µs, after 1 s to read the films.
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
    """A rank r from 0 to n - 1, with probability proportional to (r + 1)^-skew."""
    limits = _zipf_limits(n, skew)
    return min(bisect_right(limits, uniform * limits[-1]), n - 1)


@cache
def _zipf_limits(n: int, skew: float) -> list[float]:
    return list(itertools.accumulate((rank + 1) ** -skew for rank in range(n)))


@cache
def _by_popularity() -> dict[str, list[Predicate]]:
    """For each attribute the predicates to draw from, most popular first."""
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


def demo_catalog() -> Catalog:
    """A new copy of the catalog `tastes.jsonl`: twelve fictional users for the demo, who subscribe to `movies`.

    They have all delivery modes, crisp and vague subscriptions, and preferences.

    >>> demo_catalog().users()[:3]
    ['ada', 'bruno', 'celeste']
    """
    with as_file(files("rankcast.lab.datasets") / "tastes.jsonl") as path:
        catalog, rejects = read_catalog(path)
    if rejects:
        raise CatalogError(f"line {rejects[0].line} of the bundled catalog: {rejects[0].reason}")
    return catalog
