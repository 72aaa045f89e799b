"""Functions that policies choose by name, besides the built-in ones: F and G (semantics: Preference).

The ranking functions of advertisements (`rankcast.overlay.register_scorer`) are found in the same modules.

A program registers a function under a name; records, commands, API and page then choose it by that name. A process
that does not know a name imports the modules in the environment variable `RANKCAST_FUNCTIONS` (separated by commas) and
the entry points of the group `rankcast.functions`, once. So commands, services and Spark workers find the functions of
an installed module. A catalog can name a function; it cannot make a process import anything.
"""

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import entry_points
from math import isfinite
from threading import RLock
from typing import Generic, TypeAlias, TypeVar

from rankcast.errors import ModelError

AggregateFunction: TypeAlias = Callable[[Sequence[float], Sequence[float]], float]
"""F: the rank of scores with their weights; in 0..1, and independent of the order of the scores."""

LevelFunction: TypeAlias = Callable[[int, int], float]
"""G: the score of a level, given the number of levels; strictly decreasing in the level, in 0..1."""

_Function = TypeVar("_Function", bound=Callable[..., float])
_VARIABLE = "RANKCAST_FUNCTIONS"
_GROUP = "rankcast.functions"
_TRIED = 100
"""A level function is tried with up to this many levels when it is registered."""


class FunctionRegistry(Generic[_Function]):
    """Registered functions of one kind, by name."""

    def __init__(self, what: str, reserved: Sequence[str], check: Callable[[str, _Function], None]) -> None:
        self._what = what
        self._reserved = frozenset(reserved)
        self._check = check
        self._functions: dict[str, _Function] = {}

    def register(self, name: str, function: _Function) -> _Function:
        """Offer a function under a name; the same name again replaces it. Raises `ModelError` if it is not suitable."""
        if not name.isidentifier() or name in self._reserved:
            raise ModelError(
                f"{name!r} cannot name {self._what}; use letters, digits and _, and not {', '.join(sorted(self._reserved))}"
            )
        self._check(name, function)
        self._functions[name] = function
        return function

    def __contains__(self, name: object) -> bool:
        if name not in self._functions:
            import_functions()
        return name in self._functions

    def __getitem__(self, name: str) -> _Function:
        if name not in self:
            raise ModelError(
                f"this process knows no {self._what} {name!r}; register it, or name its module in {_VARIABLE}"
            )
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        import_functions()
        return iter(sorted(self._functions))


_lock = RLock()
_imported = False


def import_functions() -> None:
    """Import the modules that `RANKCAST_FUNCTIONS` and installed packages name, once; they register functions."""
    global _imported
    with _lock:
        if _imported:
            return
        _imported = True
        for name in filter(None, (part.strip() for part in os.environ.get(_VARIABLE, "").split(","))):
            try:
                importlib.import_module(name)
            except ImportError as error:
                raise ModelError(f"{_VARIABLE} names the module {name!r}, which cannot be imported: {error}") from error
        for point in entry_points(group=_GROUP):
            point.load()


def check_levels(name: str, scores: Sequence[float]) -> None:
    """Raise if the scores of levels 1, 2, … are not strictly decreasing in 0..1."""
    for level, score in enumerate(scores, 1):
        if not (isfinite(score) and 0 <= score <= 1):
            raise ModelError(f"levels {name!r}: level {level} of {len(scores)} scores {score}; it must lie in 0..1")
        if level > 1 and score >= scores[level - 2]:
            raise ModelError(
                f"levels {name!r}: level {level} of {len(scores)} scores {score}, which is not below {scores[level - 2]}"
            )


def _try_levels(name: str, function: LevelFunction) -> None:
    for count in range(1, _TRIED + 1):
        check_levels(name, [function(level, count) for level in range(1, count + 1)])


def _try_aggregate(name: str, function: AggregateFunction) -> None:
    for scores in ([0.0], [1.0], [0.2, 0.7], [0.7, 0.2]):
        rank = function(scores, [1.0] * len(scores))
        if not (isfinite(rank) and 0 <= rank <= 1):
            raise ModelError(f"aggregate {name!r} of the scores {scores} is {rank}; it must lie in 0..1")
    if function([0.2, 0.7], [1.0, 2.0]) != function([0.7, 0.2], [2.0, 1.0]):
        raise ModelError(f"aggregate {name!r} depends on the order of the scores; it must not")
    if function([0.2, 0.7], [1.0, 1.0]) > function([0.3, 0.8], [1.0, 1.0]):
        raise ModelError(f"aggregate {name!r} falls where all scores rise; it must not")


AGGREGATES: FunctionRegistry[AggregateFunction] = FunctionRegistry(
    "an aggregate", ("max", "min", "mean", "weighted"), _try_aggregate
)
"""The registered F of the policy field `aggregate`."""

LEVELS: FunctionRegistry[LevelFunction] = FunctionRegistry("levels", ("linear", "inverse", "halving"), _try_levels)
"""The registered G of the policy field `levels`."""
