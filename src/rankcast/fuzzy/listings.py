"""Functions of a string: a degree for each listed string, and one degree for all others."""

from dataclasses import dataclass
from functools import lru_cache

from rankcast.fuzzy.grades import hedged
from rankcast.fuzzy.sets import StringSet
from rankcast.model import Hedge, Table


@dataclass(frozen=True, slots=True)
class Listing:
    """`degrees` of the listed strings and `rest` for every other: 0 for a plain table, 1 for ``not`` a table."""

    degrees: dict[str, float]
    rest: float

    def value(self, text: str) -> float:
        """The degree of a string."""
        return self.degrees.get(text, self.rest)

    def negated(self) -> "Listing":
        """1 - the function."""
        return Listing({text: 1.0 - degree for text, degree in self.degrees.items()}, 1.0 - self.rest)

    def overlap(self, other: "Listing") -> float:
        """The highest degree that both reach on one string: sup of min. O(listed)."""
        listed = self.degrees.keys() | other.degrees.keys()
        return max(min(self.rest, other.rest), *(min(self.value(text), other.value(text)) for text in listed))

    def highest_in(self, strings: StringSet) -> float:
        """The highest degree among the members of a set. O(listed)."""
        return self._highest([text for text in self.degrees if strings.has(text)], strings.size)

    def highest_outside(self, strings: StringSet) -> float:
        """The highest degree among the strings that are not in the set. O(listed)."""
        return self._highest([text for text in self.degrees if not strings.has(text)], strings.others)

    def _highest(self, listed: list[str], size: float) -> float:
        unlisted = self.rest if size > len(listed) else 0.0
        return max([unlisted, *(self.degrees[text] for text in listed)])


@lru_cache(maxsize=4096)
def listing_of(table: Table, hedges: tuple[Hedge, ...] = ()) -> Listing:
    """The listing for a table of strings with its hedges, outermost first.

    >>> listing_of(Table((("new", 1.0), ("used", 0.4))), (Hedge.NOT,)).value("old")
    1.0
    """
    degrees = {
        text: hedged((float(degree), 1.0 - degree), hedges)[0]
        for text, degree in table.degrees
        if isinstance(text, str)
    }
    return Listing(degrees, hedged((0.0, 1.0), hedges)[0])
