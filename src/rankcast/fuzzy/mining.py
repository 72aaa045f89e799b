"""Mining concepts: how many an attribute has, their names and their meaning.

See semantics: Approximate matching; A-ToPSS, section 3. The input is a `NumberSummary`. Mining chooses the number of
clusters that explains the spread of the numbers, and each cluster becomes a concept.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankcast.fuzzy.clustering import best_divisions
from rankcast.fuzzy.partition import Cluster, Scale, clusters_of, concepts_of, enough, fixed_count, scale_of
from rankcast.fuzzy.summary import NumberSummary
from rankcast.model import Between, Compare, Concept, Expression, OneOf, Op, predicates_of

_WORDS = {
    "money": (
        "cheap expensive",
        "cheap fair expensive",
        "cheap fair expensive luxurious",
        "cheap affordable fair expensive luxurious",
    ),
    "extent": ("small large", "small medium large", "small medium large huge", "tiny small medium large huge"),
    "distance": ("near far", "near middling far", "near middling far remote", "close near middling far remote"),
    "duration": ("short long", "short medium long", "short medium long endless", "brief short medium long endless"),
    "year": ("old new", "old recent new", "ancient old recent new", "ancient old older recent new"),
    "age": ("new old", "new recent old", "new recent old ancient", "new recent older old ancient"),
    "anything": ("low high", "low medium high", "low medium high top", "lowest low medium high highest"),
}
"""The names of 2, 3, 4 and 5 concepts, by the kind of the attribute."""

_KINDS = {
    "money": {"price", "prices", "cost", "costs", "rent", "bid", "fee", "budget", "salary", "wage", "amount", "value"},
    "extent": {"size", "area", "rooms", "floors", "volume", "weight", "squaremeters", "population"},
    "distance": {"distance", "km", "miles"},
    "duration": {"length", "duration", "minutes", "hours", "days"},
    "year": {"year", "built", "buildyear", "vintage"},
    "age": {"age"},
}


def names_for(attribute: str, count: int) -> tuple[str, ...]:
    """Names for `count` concepts, from the lowest to the highest.

    >>> names_for("price", 4), names_for("first_bid", 2), names_for("pressure", 3)
    (('cheap', 'fair', 'expensive', 'luxurious'), ('cheap', 'expensive'), ('low', 'medium', 'high'))
    """
    words = re.split(r"[^a-z]+", attribute.lower())
    kind = next((kind for kind, known in _KINDS.items() if known.intersection(words)), "anything")
    by_count = {len(names): names for names in map(tuple, map(str.split, _WORDS[kind]))}
    return by_count.get(count) or tuple(f"level_{number}" for number in range(1, count + 1))


FEWEST = 5
"""The fewest numbers from which concepts are mined."""


@dataclass(frozen=True, slots=True)
class MiningResult:
    """The concepts found for one attribute; if there are none, `reason` says why.

    `unexplained` is the share of the variance that 1, 2, 3, … clusters leave.
    """

    summary: NumberSummary
    concepts: tuple[Concept, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    scale: Scale | None = None
    unexplained: tuple[float, ...] = ()
    reason: str = ""


def mine(
    summary: NumberSummary, *, at_most: int = 5, count: int | None = None, names: Sequence[str] | None = None
) -> MiningResult:
    """The concepts of an attribute. O(buckets): about 0.1 s for thousands.

    Parameters
    ----------
    summary
        A summary of the attribute's numbers; `NumberSummary.merged` adds new data.
    at_most
        The largest number of concepts.
    count
        A fixed number of concepts, whatever the data says.
    names
        Names in ascending order, instead of the proposed ones; they also fix the number of concepts.

    Examples
    --------
    >>> prices = [100, 105, 110, 115, 400, 405, 410, 420, 900, 905, 910, 920]
    >>> [(concept.name, concept.membership) for concept in mine(NumberSummary.of("price", prices)).concepts][0]
    ('cheap', LeftShoulder(a=115, b=400))
    """
    count = fixed_count(count, names, at_most)
    if summary.count < FEWEST:
        reason = f"{summary.count} numbers of {summary.attribute!r} are known; it takes at least {FEWEST}"
        return MiningResult(summary, reason=reason)
    scale = scale_of(summary)
    if scale is None:
        return MiningResult(summary, reason=f"all numbers of {summary.attribute!r} are the same")
    places = [(scale.place(x), weight) for x, weight in summary.points()]
    divisions = best_divisions(places, count or at_most)
    unexplained = tuple(left / divisions[0][1] for _, left in divisions)
    if count is not None and len(divisions) < count:
        reason = f"{summary.attribute!r} has only {len(divisions)} numbers that can be told apart"
        return MiningResult(summary, scale=scale, unexplained=unexplained, reason=reason)
    centres, _ = divisions[(count or enough(unexplained)) - 1]
    clusters = clusters_of(summary, scale, centres)
    concepts = concepts_of(summary.attribute, names or names_for(summary.attribute, len(clusters)), clusters)
    return MiningResult(summary, tuple(concepts), tuple(clusters), scale, unexplained)


def numbers_asked_for(wheres: Iterable[Expression], attribute: str) -> list[float]:
    """The numbers that past subscriptions compare an attribute with, which show the distinctions that people make.

    >>> from rankcast.language import parse
    >>> numbers_asked_for([parse("price <= 1500 and size > 40"), parse("price between 500 and 900")], "price")
    [1500, 500, 900]
    """
    found: list[float] = []
    for where in wheres:
        for predicate in predicates_of(where):
            if predicate.attribute != attribute:
                continue
            constants: tuple[object, ...] = ()
            match predicate.test:
                case Compare(op, value) if op is not Op.NE:
                    constants = (value,)
                case Between(low, high):
                    constants = (low, high)
                case OneOf(values):
                    constants = values
            found += [x for x in constants if isinstance(x, int | float) and not isinstance(x, bool)]
    return found
