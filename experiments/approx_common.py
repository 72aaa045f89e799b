"""Shared by the experiments on approximate matching: drawing by hash, datasets, and imprecise publications."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from itertools import islice

from rankcast.fuzzy import MiningResult, NumberSummary, degree, mine
from rankcast.lab.datasets import auction_items, listings
from rankcast.lab.reproduce import Paper
from rankcast.model import Concept, Event, Interval, Term

PAPER = Paper(
    "A-ToPSS (VLDB 2004)",
    "A-ToPSS: approximate matching (Liu and Jacobsen, VLDB 2004 demonstration)",
    agrees="The number of matches depends on the interval of a publication for every kind of subscriber.",
    differs="Vague subscriptions of indifferent and pessimistic subscribers find fewer than crisp ones once the interval "
    "is wide, because necessity falls. Those of optimistic ones find more by our choice of axes, which decides nothing. The "
    "paper's sentence does not tell these subscribers apart.",
    unknown=(
        "Every number: the paper is a demonstration, and our copy has no values in its Figure 7.",
        "The axes of its membership functions; those of the condo example are ours.",
        "Most rows are theorems of possibility theory or describe our data. They are ours alone.",
    ),
)
SOURCE = f"{PAPER.name}, section 4"
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
