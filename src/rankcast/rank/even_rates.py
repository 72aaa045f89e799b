"""Between which rates a filter can serve all topics of a user equally often (semantics: Even shares; thesis 2.3.2)."""

from collections.abc import Mapping
from typing import NamedTuple

from rankcast.rank.measures import Place


class EvenRates(NamedTuple):
    """The rates at which all places that match can be delivered equally often: from `least` to `most`.

    `places` is the number of places that matched, `silent` of those that never did. `rarest` is the place that matched
    least, with its `share` of the matching events.
    """

    places: int
    silent: int
    rarest: Place
    share: float
    least: float
    most: float

    def advice(self, rate: float) -> str:
        """What a rate means for these places, in words for people."""
        span = f"{self.least:.3g} to {self.most:.3g}"
        topics = f"all {self.places} topics" if self.places > 1 else "the one topic"
        silent = f" ({self.silent} more never matched)" if self.silent else ""
        if self.least > self.most:
            return (
                f"no rate gives {topics} evenly{silent}: a period is too short for {self.rarest.label()}, "
                f"which has {self.share:.1%} of your matches"
            )
        if rate < self.least:
            return f"with {rate:g} a period has fewer events than topics; {span} gives {topics} evenly{silent}"
        if rate > self.most:
            rare = f"{self.rarest.label()} has only {self.share:.1%} of your matches"
            return f"with {rate:g} you cannot have {topics} evenly, because {rare}; {span} can{silent}"
        return f"with {rate:g} you can have {topics} evenly{silent}; the limits are {span}"


def even_rates(counts: Mapping[Place, int], matched: int, period: int) -> EvenRates | None:
    """The rates at which all places can be delivered equally often; None if nothing matched.

    `counts` are the matching events at each place, `matched` is the number of all matching events. With fewer than one
    event per place and period some place gets nothing (observation 2.1; the thesis divides by the delivered events,
    but a rate is a share of the matching ones). With more than the rarest place has, for each place, that one falls
    behind (observation 2.2). O(places).

    >>> even_rates({Place("drama"): 90, Place("short"): 10}, matched=100, period=50)
    EvenRates(places=2, silent=0, rarest=Place(subscription='short', other=False), share=0.1, least=0.04, most=0.2)
    """
    known = {place: count for place, count in counts.items() if count}
    if not known:
        return None
    rarest = min(known, key=lambda place: (known[place], place))
    share = known[rarest] / matched
    least, most = len(known) / period, min(1.0, len(known) * share)
    return EvenRates(len(known), len(counts) - len(known), rarest, share, least, most)
