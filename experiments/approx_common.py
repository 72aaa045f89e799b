"""Shared by the experiments on approximate matching: drawing by hash, datasets, and imprecise publications."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from itertools import islice

from rankcast.fuzzy import MiningResult, NumberSummary, degree, mine
from rankcast.lab.datasets import auction_items, listings
from rankcast.model import Concept, Event, Interval, Term

SOURCE = "A-ToPSS (VLDB 2004), section 4"
PAST = 10_000
"""The number of past events, from which concepts are mined; they are the first events of a dataset."""


def uniform(*names: object) -> float:
    """A number in 0..1 that depends only on the names."""
    digest = blake2b("/".join(map(str, names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


@cache
def items(count: int) -> list[Event]:
    """The first `count` eBay items after the past ones."""
    return list(islice(auction_items(), PAST, PAST + count))


@cache
def past_items() -> list[Event]:
    """The past items."""
    return list(auction_items(limit=PAST))


@cache
def flats(count: int) -> list[Event]:
    """The first `count` apartments for sale after the past ones."""
    return list(islice(listings(), PAST, PAST + count))


@cache
def past_flats() -> list[Event]:
    """The past apartments."""
    return list(listings(limit=PAST))


def mined(events: Sequence[Event], attribute: str) -> MiningResult:
    """The concepts mined from an attribute of past events."""
    return mine(NumberSummary.of(attribute, [number(event, attribute) for event in events]))


def number(event: Event, attribute: str) -> float | None:
    """The crisp number of an attribute, if it has one."""
    value = event.attributes.get(attribute)
    return float(value[0]) if isinstance(value, tuple) else None


def widened(event: Event, attribute: str, share: float) -> Event:
    """The event with a number replaced by an interval of plus or minus `share` of it."""
    x = number(event, attribute)
    if x is None:
        return event
    return replace(event, attributes={**event.attributes, attribute: Interval(x * (1 - share), x * (1 + share))})


def in_words(event: Event, attribute: str, concepts: Sequence[Concept]) -> Event:
    """The event with a number replaced by the concept that fits it best."""
    x = number(event, attribute)
    if x is None:
        return event
    best = max(concepts, key=lambda concept: degree(concept.membership, (), x))
    return replace(event, attributes={**event.attributes, attribute: Term(best.name)})
