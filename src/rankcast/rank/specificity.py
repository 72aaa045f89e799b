"""The most specific of the matching subscriptions, which determine the rank of an event.

See semantics: Preference; DEBS'09, 3.2.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import filterfalse

from rankcast.cover import MOST_COMPARISONS, ExpressionWeight, NormalForm, weight_of
from rankcast.cover.strict_covers import PartOutline, StrictCovers, part_outlines
from rankcast.matching import Meaning
from rankcast.model import Expression, Is, Membership, Subscription, Term, predicates_of
from rankcast.rank.differences import difference

MOST_RELATED = 128
"""Up to this many constants in all matching subscriptions, every cover that `rankcast.cover.relate` finds counts;
beyond, only covers by parts."""
MOST_COMPARED = 50_000
"""With more constants in all matching subscriptions, no covers are searched for: all subscriptions count."""
MOST_CONJUNCTIONS = 64
"""A subscription with more conjunctions always counts, unless all matching subscriptions together have few
constants."""
MOST_ODD = 200_000
"""The same for subscriptions that cannot be compared in bulk, if comparing them one by one takes more steps. A step
is one constant for each pair of conjunctions."""
_MOST_REMEMBERED = 200_000
_AT_ONCE = 16
"""Subscriptions that `prepare` compares before it looks at the time: about 5 ms if there are 10,000 others."""

_Word = tuple[str, Term]


class Specificity:
    """The strict covers among one user's subscriptions, computed when first needed and then cached.

    The result of `most_specific` depends only on the matching subscriptions, and its cost is bounded
    (semantics: Preference). The first call takes about 5 µs for each pair of a few matching subscriptions, or 0.1 ms
    for each of many; later calls take about 10 ms for 10,000. `update` takes 20 ns per subscription besides those that changed.
    """

    def __init__(self, subscriptions: Iterable[Subscription], meaning: Meaning | None = None) -> None:
        self._given: list[Subscription] = []
        self._changed: dict[str, None] = {}
        """What the last update changed."""
        self._is_prepared = self._was_prepared = False
        """Whether an event would compare nothing, now and before the last update."""
        self._where: dict[str, Expression] = {}
        self._meaning = meaning
        self._weights: dict[str, ExpressionWeight] = {}
        self._constants = 0
        """The constants of all weighed subscriptions that can be compared by parts."""
        self._forms: dict[str, NormalForm] = {}
        self._outlines: dict[str, tuple[PartOutline, ...] | None] = {}
        self._covers = StrictCovers()
        self._strict: dict[tuple[str, str, bool], tuple[NormalForm, NormalForm, bool]] = {}
        """Pairs that were compared one by one, wholly or only by parts."""
        self._words: dict[_Word, Membership] = {}
        self._users_of: dict[_Word, dict[str, None]] = {}
        self.update(subscriptions, meaning)

    def update(self, subscriptions: Iterable[Subscription], meaning: Meaning | None = None) -> None:
        """Replace the user's subscriptions or concepts."""
        before, self._given = self._given, list(subscriptions)
        self._meaning = meaning
        stretch = difference(before, self._given)
        new = {one.id: one.where for one in self._given[stretch.now]}
        for one in before[stretch.before]:
            del self._where[one.id]
            if one.id in self._weights and new.get(one.id) != one.where:
                self._forget(one.id, one.where)
        self._where.update(new)
        others = self._with_other_words()
        for name in others:
            self._forget(name, self._where[name])
        self._changed = dict.fromkeys([*new, *others])
        self._was_prepared, self._is_prepared = self._is_prepared, False

    def prepare(self, is_over: Callable[[], bool]) -> bool:
        """Compare in advance what an event that matches everything would compare, until `is_over`.

        Returns whether all is done. Nothing is compared for users with few constants, or with more than count.
        """
        for name in filterfalse(self._weights.__contains__, self._where):
            if is_over():
                return False
            self._weigh(name)
        left = self._uncompared(self._where)
        for start in range(0, len(left), _AT_ONCE):
            if is_over():
                return False
            self._relate(left[start : start + _AT_ONCE])
        self._is_prepared = True
        return True

    def prepare_changes(self, most: int, everything: bool = False) -> int:
        """Compare at most so many of those that an event would compare because of the last update.

        Returns how many were. What had not been compared before that is left to `prepare`, unless `everything` is
        wanted. All at once, a comparison takes a third of the time.
        """
        if self._is_prepared:
            return 0
        is_whole = everything or self._was_prepared
        names = self._where if is_whole else self._changed
        new = list(filterfalse(self._weights.__contains__, names))
        for name in new[:most]:
            self._weigh(name)
        left = self._uncompared(name for name in names if name in self._weights)
        self._relate(left[:most])
        self._is_prepared = is_whole and max(len(new), len(left)) <= most
        return min(most, max(len(new), len(left)))

    def _uncompared(self, names: Iterable[str]) -> list[str]:
        """Those of some weighed subscriptions that are still to be compared with all others."""
        if not MOST_RELATED < self._constants <= MOST_COMPARED:
            return []
        new = filterfalse(self._outlines.__contains__, names)
        return [name for name in new if self._weights[name].conjunctions <= MOST_CONJUNCTIONS]

    def strictly_covers(self, general: str, special: str) -> bool:
        """Whether `general` matches everything that `special` matches, and more."""
        for name in (general, special):
            self._weigh(name)
        return self._strictly(general, special)

    def most_specific(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Those of `ids` that do not strictly cover another of them, in the given order. Equal ones are all kept."""
        if len(ids) < 2:
            return tuple(ids)
        for name in ids:
            if name not in self._weights:
                self._weigh(name)
        weights = [self._weights[name] for name in ids]
        constants, comparable = sum([one.constants for one in weights]), ids
        if constants <= MOST_RELATED:
            return tuple(name for name in ids if not any(self._strictly(name, other) for other in ids))
        if max(one.conjunctions for one in weights) > MOST_CONJUNCTIONS:
            comparable = [name for name in ids if self._weights[name].conjunctions <= MOST_CONJUNCTIONS]
            constants = self._weight(comparable).constants
        if constants > MOST_COMPARED:
            return tuple(ids)
        return self._most_specific_by_parts(ids, comparable)

    def _most_specific_by_parts(self, ids: Sequence[str], comparable: Sequence[str]) -> tuple[str, ...]:
        self._relate(comparable)
        regular = [name for name in comparable if name in self._covers]
        covering = set(regular).difference(self._covers.most_specific(regular))
        if len(regular) < len(comparable):
            odd = [name for name in comparable if name not in self._covers]
            few, all_of_them = self._weight(odd), self._weight(comparable)
            if few.conjunctions * all_of_them.constants + few.constants * all_of_them.conjunctions <= MOST_ODD:
                covering |= self._odd_covers(odd, comparable)
        return tuple(name for name in ids if name not in covering)

    def _odd_covers(self, odd: Collection[str], names: Sequence[str]) -> set[str]:
        """The names that strictly cover another by parts, if at least one of the two is `odd`.

        Odd subscriptions cannot be compared in bulk.
        """
        found = {name for name in odd if any(self._strictly(name, other, wholly=False) for other in names)}
        rest = (name for name in names if name not in found)
        return found | {name for name in rest if any(self._strictly(name, other, wholly=False) for other in odd)}

    def _weight(self, names: Iterable[str]) -> ExpressionWeight:
        """The total weight of some subscriptions."""
        weights = [self._weights[name] for name in names]
        return ExpressionWeight(sum(one.conjunctions for one in weights), sum(one.constants for one in weights))

    def _relate(self, names: Iterable[str]) -> None:
        """Compare new subscriptions with all that were compared before. After a failure, all are compared again."""
        new: dict[str, tuple[PartOutline, ...]] = {}
        for name in names:
            if name not in self._outlines:
                outlines = self._outlines[name] = part_outlines(self._form(name))
                if outlines is not None:
                    new[name] = outlines
        if new:
            try:
                self._covers.add(new)
            except Exception:
                self._covers = StrictCovers()
                self._outlines.clear()
                raise

    def _strictly(self, general: str, special: str, wholly: bool = True) -> bool:
        if general == special:
            return False
        a, b = self._form(general), self._form(special)
        known = self._strict.get((general, special, wholly))
        if known is not None and known[0] is a and known[1] is b:
            return known[2]
        if len(self._strict) >= _MOST_REMEMBERED:
            self._strict.clear()
        comparisons = MOST_COMPARISONS if wholly else 0
        is_strict = a.covers(b, comparisons) and not b.covers(a, comparisons)
        self._strict[general, special, wholly] = a, b, is_strict
        return is_strict

    def _form(self, name: str) -> NormalForm:
        if name not in self._forms:
            self._forms[name] = NormalForm(self._where[name], self._meaning)
        return self._forms[name]

    def _weigh(self, name: str) -> None:
        where = self._where[name]
        for word in _words_of(where):
            if self._meaning is not None and word not in self._words:
                self._words[word] = self._meaning(*word)
            self._users_of.setdefault(word, {})[name] = None
        self._weights[name] = weight = weight_of(where, self._meaning)
        self._constants += weight.constants if weight.conjunctions <= MOST_CONJUNCTIONS else 0

    def _forget(self, name: str, where: Expression) -> None:
        """Forget the comparisons of a subscription, so that it is compared again if it still exists."""
        weight = self._weights.pop(name)
        self._constants -= weight.constants if weight.conjunctions <= MOST_CONJUNCTIONS else 0
        self._forms.pop(name, None)
        self._outlines.pop(name, None)
        if name in self._covers:
            self._covers.remove(name)
        for word in _words_of(where):
            users = self._users_of.get(word, {})
            users.pop(name, None)
            if not users:
                self._users_of.pop(word, None)
                self._words.pop(word, None)

    def _with_other_words(self) -> list[str]:
        """The compared subscriptions with a concept that has a new meaning."""
        if self._meaning is None:
            return []
        changed = [word for word, meant in self._words.items() if self._meaning(*word) != meant]
        return list(dict.fromkeys(name for word in changed for name in self._users_of[word]))


def _words_of(where: Expression) -> list[_Word]:
    found = (predicate for predicate in predicates_of(where) if isinstance(predicate.test, Is))
    return list(dict.fromkeys((one.attribute, one.test.term) for one in found if isinstance(one.test, Is)))
