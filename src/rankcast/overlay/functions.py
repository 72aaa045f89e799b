"""Ranking functions by name: what an advertisement may ask for besides the scorers of the library.

A program registers a function, or one of the modules that `rankcast.model.functions` imports. So a publisher can name
it, but not bring code along.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from rankcast.errors import CatalogError, ModelError, did_you_mean
from rankcast.model import AGGREGATES, LEVELS, Aggregate, Catalog, Event, Levels, Subscription
from rankcast.model.declared import check_name
from rankcast.model.functions import AggregateFunction, LevelFunction, import_functions

RankingFunction: TypeAlias = Callable[[Event, Subscription, float], float]
"""Of a publication, a matching subscription and the degree of the match; larger is better.

It must depend on nothing else, so that a replay gives the same recipients."""

Score: TypeAlias = tuple[float, ...]
"""A score, compared from left to right; most scorers give one number."""

_LOWEST, _HIGHEST = (float("-inf"),), (float("inf"),)


class Custom:
    """Any function of the publication, the subscription and the degree of the match.

    `bounds` gives its lowest and highest value for a subscription, if they are known.

    >>> from rankcast.language import parse
    >>> by_length = Custom(lambda event, subscription, degree: -len(subscription.id))
    >>> by_length.bounds(Subscription("s1", "u", parse("x > 1")))
    ((-inf,), (inf,))
    """

    def __init__(
        self,
        function: Callable[[Event, Subscription, float], float],
        bounds: Callable[[Subscription], tuple[float, float]] | None = None,
    ) -> None:
        self._function = function
        self._bounds = bounds

    def score(self, event: Event, subscription: Subscription, degree: float) -> Score:
        """The value of the function; ModelError if it is not a finite number."""
        value = self._function(event, subscription, degree)
        if not math.isfinite(value):
            raise ModelError(
                f"a ranking function gave {value!r} for subscription {subscription.id!r}; it must give a finite number"
            )
        return (_without_noise(value),)

    def bounds(self, subscription: Subscription) -> tuple[Score, Score]:
        """The given bounds, or infinite ones."""
        if self._bounds is None:
            return _LOWEST, _HIGHEST
        low, high = self._bounds(subscription)
        return (_without_noise(low),), (_without_noise(high),)


def _without_noise(value: float) -> float:
    """A score with 12 significant digits, so that scores that differ only by the rounding of floats tie."""
    return float(f"{value:.12g}")


_KNOWN: dict[str, Custom] = {}


def register_scorer(
    name: str, function: RankingFunction, bounds: Callable[[Subscription], tuple[float, float]] | None = None
) -> None:
    """Give a ranking function a name for advertisements, in this process and in Spark jobs that it starts.

    Parameters
    ----------
    bounds
        The lowest and highest value of the function for a subscription. With bounds, brokers forward fewer
        subscriptions; a wrong bound loses recipients.

    >>> from rankcast.language import parse
    >>> register_scorer("shortest-id", lambda event, subscription, degree: -len(subscription.id))
    >>> registered_scorer("shortest-id").score(None, Subscription("s1", "ann", parse("true")), 1.0)
    (-2.0,)
    """
    check_name("the name of a ranking function", name)
    _KNOWN[name] = Custom(function, bounds)


def registered_scorer(name: str) -> Custom:
    """The ranking function of this name. Raises CatalogError if nobody registered it."""
    if name not in _KNOWN:
        import_functions()
    if name not in _KNOWN:
        raise CatalogError(
            f"there is no ranking function {name!r}{did_you_mean(name, _KNOWN)}; register it with "
            "rankcast.overlay.register_scorer, in a module that RANKCAST_FUNCTIONS names"
        )
    return _KNOWN[name]


def registered_scorers() -> list[str]:
    """The names of all ranking functions that this process knows."""
    import_functions()
    return sorted(_KNOWN)


class CatalogFunctions(NamedTuple):
    """The registered functions that a catalog names: of advertisements, and F and G of policies."""

    scorers: Mapping[str, Custom] = {}
    aggregates: Mapping[str, AggregateFunction] = {}
    levels: Mapping[str, LevelFunction] = {}

    def __bool__(self) -> bool:
        return any(self[:])


NO_FUNCTIONS = CatalogFunctions()


def functions_of(catalog: Catalog) -> CatalogFunctions:
    """The registered functions that a catalog names, to be sent to another process."""
    policies = catalog.policies.values()
    scorers = {one.function for one in catalog.advertisements.values() if one.function is not None}
    aggregates = {one.aggregate for one in policies if not isinstance(one.aggregate, Aggregate)}
    levels = {one.levels for one in policies if not isinstance(one.levels, Levels)}
    return CatalogFunctions(
        {name: registered_scorer(name) for name in sorted(scorers)},
        {name: AGGREGATES[name] for name in sorted(aggregates)},
        {name: LEVELS[name] for name in sorted(levels)},
    )


def use_functions(functions: CatalogFunctions) -> None:
    """Register the functions that another process sent."""
    _KNOWN.update(functions.scorers)
    for name, aggregate in functions.aggregates.items():
        AGGREGATES.register(name, aggregate)
    for name, level in functions.levels.items():
        LEVELS.register(name, level)
