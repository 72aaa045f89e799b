"""The distinct questions of an index's subscriptions, and their answers where codes do not decide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.compiled import Integers as Turns
from rankcast.engine.index.degrees import NORMS, Degrees
from rankcast.matching.batch import Integers, Reals
from rankcast.matching.oracle import evaluate
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import Catalog, Event, Norm, Subscription

_PLAIN, _UNKNOWN = -1, -2
"""In place of the number of an expression or question: left to plain evaluation, and not examined yet."""


@dataclass(frozen=True)
class Senses:
    """The meaning of concepts for each user, each user's norm, and the shared meaning of concepts in events."""

    meaning_of: Callable[[str], Meaning] = lambda user: NO_CONCEPTS
    norm_of: Callable[[str], Norm] = lambda user: Norm.MIN
    shared: Meaning = NO_CONCEPTS

    @classmethod
    def of_catalog(cls, catalog: Catalog) -> "Senses":
        """The concepts and the norms of a catalog."""
        return cls(
            catalog.meaning_of,
            lambda user: catalog.policy_of(user).norm,
            catalog.membership,
        )


class Questions:
    """Decides pairs of an event and a subscription that the index found but cannot decide.

    Parameters
    ----------
    compiled
        The index. The subscriptions of one group ask the same question, except for the norm.
    subscription
        Returns the subscription at a place.
    senses
        The meaning of concepts, and the norms. It can be replaced by one with other norms if concepts keep their
        meaning for the subscriptions that are asked for.

    An expression is examined on first use, in about 10 µs. From then on, a conjunction takes about 50 ns per ``is``
    and crisp event, and about 5 ns for each subscription. Other expressions, and imprecise events, are evaluated once
    per event and group.
    """

    def __init__(self, compiled: CompiledIndex, subscription: Callable[[int], Subscription], senses: Senses) -> None:
        self._compiled = compiled
        self._subscription = subscription
        self._degrees = Degrees()
        self.senses = senses

    @property
    def senses(self) -> Senses:
        """The current meaning of concepts and norms."""
        return self._senses

    @senses.setter
    def senses(self, senses: Senses) -> None:
        self._senses = senses
        self._norms = np.full(len(self._compiled.users), -1, np.int8)
        self._question[:] = _UNKNOWN

    def decide(
        self, events: Sequence[Event], is_soft: NDArray[np.bool_], event: Turns, turn: Turns
    ) -> tuple[NDArray[np.bool_] | None, Reals]:
        """Whether each pair of an event and a subscription, by its turn, holds (None: all do), and to what degree.

        `is_soft` marks the events with imprecise values. In the order of the search, pairs with the same event and
        question are adjacent.
        """
        question = self._question.take(turn)
        if len(question) and question.min() == _UNKNOWN:
            self._look_at(np.unique(turn[question == _UNKNOWN]))
            question = self._question.take(turn)
        known, holds, degree, left, held = self._degrees.decide(events, ~is_soft, event, question)
        if held == len(event):
            return None, degree
        if left:
            answers: dict[tuple[int, int, int], tuple[bool, float]] = {}
            at = np.flatnonzero(~known)
            keys = event[at], self._group[turn[at]], self._norms[self._users(turn[at])]
            for i, key in zip(at.tolist(), zip(*(column.tolist() for column in keys), strict=True), strict=True):
                answer = answers.get(key)
                if answer is None:
                    answer = answers[key] = self.evaluated(int(self._compiled.place_at[turn[i]]), events[key[0]])
                holds[i], degree[i] = answer
        return holds, degree

    def evaluated(self, place: int, event: Event) -> tuple[bool, float]:
        """Whether a pair holds, and to what degree, by plain evaluation."""
        one, senses = self._subscription(place), self._senses
        outcome = evaluate(one.where, event, senses.meaning_of(one.user), senses.norm_of(one.user), senses.shared)
        return outcome.holds, outcome.possibility

    def look_at(self, places: Integers) -> None:
        """Examine the questions of some subscriptions now, not on first use."""
        turn_of = np.empty(self._compiled.size, np.int32)
        turn_of[self._compiled.place_at] = np.arange(self._compiled.size)
        self._look_at(np.sort(turn_of[places]))

    def _look_at(self, turns: Turns) -> None:
        """Examine the groups of these turns.

        The questions are taken from these turns, because other members may have been removed and may ask something
        else by now. Expressions found together have consecutive turns and get consecutive numbers.
        """
        group, user = self._group[turns], self._users(turns)
        for at in np.flatnonzero(self._number[group] == _UNKNOWN).tolist():
            if self._number[group[at]] == _UNKNOWN:
                one = self._subscription(int(self._compiled.place_at[turns[at]]))
                taken = self._degrees.add(one.where, self._senses.meaning_of(one.user))
                self._number[group[at]] = _PLAIN if taken is None else taken
        for number in np.unique(user[self._norms[user] < 0]).tolist():
            self._norms[number] = NORMS.index(self._senses.norm_of(self._compiled.users[number]))
        number = self._number[group]
        self._question[turns] = np.where(number == _PLAIN, _PLAIN, len(NORMS) * number + self._norms[user])

    def _users(self, turns: Turns) -> Turns:
        return self._compiled.user.take(self._compiled.place_at.take(turns))

    @cached_property
    def _group(self) -> Turns:
        """By turn: the first turn of the group, or itself."""
        first, last = self._compiled.group_ends.T.astype(np.int64)
        group = np.arange(self._compiled.size, dtype=np.int32)
        group[_ranges(first, last)] = np.repeat(first, last - first)
        return group

    @cached_property
    def _number(self) -> NDArray[np.int32]:
        """By the first turn of each group: the number of its expression in the degrees."""
        return np.full(self._compiled.size, _UNKNOWN, np.int32)

    @cached_property
    def _question(self) -> NDArray[np.int32]:
        """By turn: the question, as numbered by the degrees."""
        return np.full(self._compiled.size, _UNKNOWN, np.int32)


def _ranges(first: Integers, last: Integers) -> Integers:
    """The numbers from each first up to but excluding each last."""
    sizes = last - first
    found: Integers = np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    return found
