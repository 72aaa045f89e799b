"""The catalog: all records of users and publishers, and the rules that keep them consistent."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from rankcast.errors import CatalogError, PreferenceCycle, UnknownConcept, did_you_mean
from rankcast.model.advertisements import Advertisement
from rankcast.model.events import Event
from rankcast.model.expressions import Expression, predicates_of
from rankcast.model.membership import Concept, Membership, Term
from rankcast.model.policies import Policy
from rankcast.model.predicates import Is
from rankcast.model.subscriptions import Preference, Subscription

Record: TypeAlias = Subscription | Preference | Policy | Concept | Advertisement
RECORD_KINDS: tuple[type[Record], ...] = (Concept, Subscription, Policy, Preference, Advertisement)
"""The kinds of records, ordered so that a record names only records of earlier kinds."""


def owner_of(record: Record) -> str | None:
    """The user who owns a catalog record; None if the record concerns everybody."""
    return None if isinstance(record, Advertisement) else record.user


class Catalog:
    """A consistent set of subscriptions, preferences, policies, concepts and advertisements.

    `add` refuses a record that already exists; `put` replaces it. Both refuse a record that names something unknown
    (a preference between subscriptions that the user does not have, an undefined concept) or that closes a cycle of
    preferences; the catalog then stays unchanged. One `add` or `put` costs O(1), a preference O(the user's
    preferences).
    """

    def __init__(self, records: "list[Record] | tuple[Record, ...]" = ()) -> None:
        self.subscriptions: dict[str, Subscription] = {}
        self.policies: dict[str, Policy] = {}
        self.concepts: dict[tuple[str, str, str | None], Concept] = {}
        self.advertisements: dict[str, Advertisement] = {}
        self.incomplete: frozenset[str | None] = frozenset()
        """The users with a record that the store could not read and left out; None stands for records that concern
        everybody."""
        self._preferences: dict[str, dict[tuple[str, str], Preference]] = {}
        self._concepts_by_owner: dict[str | None, list[Concept]] | None = None
        """None if concepts have changed since it was last needed."""
        self._of_user: dict[str, dict[str, Subscription]] = {}
        for record in records:
            self.add(record)

    @classmethod
    def of_checked(cls, subscriptions: Iterable[Subscription], others: Iterable[Record]) -> "Catalog":
        """A catalog of records that were in one before, in order. The subscriptions are not checked again."""
        made = cls()
        made.subscriptions = {one.id: one for one in subscriptions}
        for name, one in made.subscriptions.items():
            made._of_user.setdefault(one.user, {})[name] = one
        for record in others:
            made.add(record)
        return made

    # reading

    def users(self) -> list[str]:
        """All users with a subscription, sorted."""
        return sorted(self._of_user)

    def subscribers(self, user: str | None) -> list[str]:
        """One user, or all. Raises CatalogError, with the likely name, if the user has no subscription."""
        if user is None:
            return self.users()
        if user not in self._of_user:
            raise CatalogError(f"user {user!r} has no subscriptions{did_you_mean(user, self.users())}")
        return [user]

    def subscriptions_of(self, user: str) -> list[Subscription]:
        """The user's subscriptions, in the order in which they were added."""
        return list(self._of_user.get(user, {}).values())

    def count_of(self, user: str) -> int:
        """The number of the user's subscriptions."""
        return len(self._of_user.get(user, ()))

    def preferences_of(self, user: str) -> list[Preference]:
        """The user's preferences, in the order in which they were added."""
        mine = self._preferences.get(user)
        return list(mine.values()) if mine else []

    def concepts_of(self, user: str | None) -> list[Concept]:
        """The user's own concepts and the shared ones; for None, the shared ones alone."""
        if self._concepts_by_owner is None:
            self._concepts_by_owner = {}
            for concept in self.concepts.values():
                self._concepts_by_owner.setdefault(concept.user, []).append(concept)
        return [one for owner in dict.fromkeys((None, user)) for one in self._concepts_by_owner.get(owner, ())]

    def policy_of(self, user: str) -> Policy:
        """The user's policy; mode `all` if the user has none."""
        return self.policies.get(user) or Policy(user)

    def membership(self, attribute: str, term: Term, user: str | None = None) -> Membership:
        """The meaning of a concept without hedges: the user's own definition, or else the shared one."""
        for key in ((attribute, term.concept, user), (attribute, term.concept, None)):
            if key in self.concepts:
                return self.concepts[key].membership
        near = did_you_mean(term.concept, {name for at, name, _ in self.concepts if at == attribute})
        message = f"no concept {term.concept!r} on attribute {attribute!r}{near or '; define it first'}"
        raise UnknownConcept(message, term.concept, attribute)

    def meaning_of(self, user: str | None) -> Callable[[str, Term], Membership]:
        """The meaning of concepts for a user, as a function of attribute and term; for None, the shared meaning."""
        return partial(self.membership, user=user)

    def records(self) -> Iterator[Record]:
        """All records, in an order in which `add` accepts them again."""
        yield from self.concepts.values()
        yield from self.subscriptions.values()
        yield from self.policies.values()
        for preferences in self._preferences.values():
            yield from preferences.values()
        yield from self.advertisements.values()

    def current(self, record: Record) -> Record | None:
        """The existing record with the same id, user or name as this one; None if there is none."""
        match record:
            case Subscription():
                return self.subscriptions.get(record.id)
            case Preference():
                return self._preferences.get(record.user, {}).get((record.prefer, record.over))
            case Policy():
                return self.policies.get(record.user)
            case Concept():
                return self.concepts.get((record.attribute, record.name, record.user))
            case Advertisement():
                return self.advertisements.get(record.id)

    # checking

    def check_expression(self, where: Expression, user: str | None = None) -> None:
        """Raise if the expression names an undefined concept."""
        for predicate in predicates_of(where):
            if isinstance(predicate.test, Is):
                self.membership(predicate.attribute, predicate.test.term, user)

    def check_event(self, event: Event) -> None:
        """Raise if the event names an undefined concept. `rankcast.overlay` checks it against its advertisement."""
        for attribute, value in event.attributes.items():
            if isinstance(value, Term):
                self.membership(attribute, value)

    # changing

    def add(self, record: Record) -> None:
        """Add a new record."""
        if self.current(record) is not None:
            raise CatalogError(f"duplicate {record_name(record)}")
        self.put(record)

    def put(self, record: Record) -> None:
        """Add a record, or replace the one with the same id, user or name."""
        match record:
            case Subscription():
                self.check_expression(record.where, record.user)
                old = self.subscriptions.get(record.id)
                if old is not None and old.user != record.user:
                    raise CatalogError(f"subscription {record.id!r} belongs to another user, {old.user!r}")
                self.subscriptions[record.id] = record
                self._of_user.setdefault(record.user, {})[record.id] = record
            case Preference():
                self._check_preference(record)
                self._preferences.setdefault(record.user, {})[record.prefer, record.over] = record
            case Policy():
                self.policies[record.user] = record
            case Concept():
                self.concepts[record.attribute, record.name, record.user] = record
                self._concepts_by_owner = None
            case Advertisement():
                self.check_expression(record.where)
                self.advertisements[record.id] = record

    def remove(self, record: Record) -> None:
        """Remove a record.

        Removing a subscription also removes its preferences. Raises `CatalogError` for a concept that is still in use.
        """
        if self.current(record) is None:
            raise CatalogError(f"there is no {record_name(record)}")
        match record:
            case Subscription():
                user = self.subscriptions.pop(record.id).user
                del self._of_user[user][record.id]
                if not self._of_user[user]:
                    del self._of_user[user]
                kept = self._preferences.get(user, {})
                for pair in [pair for pair in kept if record.id in pair]:
                    del kept[pair]
            case Preference():
                del self._preferences[record.user][record.prefer, record.over]
            case Policy():
                del self.policies[record.user]
            case Concept():
                key = (record.attribute, record.name, record.user)
                concept, self._concepts_by_owner = self.concepts.pop(key), None
                broken = self._first_broken()
                if broken is not None:
                    self.concepts[key] = concept
                    raise CatalogError(
                        f"concept {record.name!r} on {record.attribute!r} is in use by {record_name(broken)}"
                    )
            case Advertisement():
                del self.advertisements[record.id]

    def part(self, serves: Callable[[str], bool]) -> "Catalog":
        """The records of some users and those that concern everybody: all that a shard of those users needs."""
        made = Catalog()
        made.concepts = {key: one for key, one in self.concepts.items() if one.user is None or serves(one.user)}
        made.advertisements = dict(self.advertisements)
        made.subscriptions = {key: one for key, one in self.subscriptions.items() if serves(one.user)}
        made.policies = {user: one for user, one in self.policies.items() if serves(user)}
        made.incomplete = frozenset(user for user in self.incomplete if user is None or serves(user))
        made._preferences = {user: dict(pairs) for user, pairs in self._preferences.items() if serves(user)}
        made._of_user = {user: dict(mine) for user, mine in self._of_user.items() if serves(user)}
        return made

    def alone(self, user: str | None, policy: Policy | None = None) -> "Catalog":
        """The records that concern one user, optionally with another policy; for None, those that concern everybody.

        Costs O(the user's records + shared concepts + advertisements), whatever the others have.
        """
        made = Catalog()
        made.concepts = {(one.attribute, one.name, one.user): one for one in self.concepts_of(user)}
        made.advertisements = dict(self.advertisements)
        if user is None:
            return made
        mine = self._of_user.get(user, {})
        if mine:
            made.subscriptions, made._of_user = dict(mine), {user: dict(mine)}
        if user in self._preferences:
            made._preferences = {user: dict(self._preferences[user])}
        chosen = self.policies.get(user) if policy is None else replace(policy, user=user)
        if chosen is not None:
            made.policies = {user: chosen}
        made.incomplete = self.incomplete & {None, user}
        return made

    def copy(self) -> "Catalog":
        """An independent catalog with the same records."""
        made = Catalog()
        made.subscriptions = dict(self.subscriptions)
        made.policies = dict(self.policies)
        made.concepts = dict(self.concepts)
        made.advertisements = dict(self.advertisements)
        made.incomplete = self.incomplete
        made._preferences = {user: dict(pairs) for user, pairs in self._preferences.items()}
        made._of_user = {user: dict(mine) for user, mine in self._of_user.items()}
        return made

    def _first_broken(self) -> Subscription | Advertisement | None:
        """The first record that names an undefined concept."""
        records: list[Subscription | Advertisement] = [*self.subscriptions.values(), *self.advertisements.values()]
        for record in records:
            try:
                self.check_expression(record.where, record.user if isinstance(record, Subscription) else None)
            except CatalogError:
                return record
        return None

    def _check_preference(self, record: Preference) -> None:
        mine = self._of_user.get(record.user, {})
        for name in (record.prefer, record.over):
            if name not in mine:
                raise CatalogError(f"user {record.user!r} has no subscription {name!r}{did_you_mean(name, mine)}")
        path = self._path(record.user, record.over, record.prefer)
        if path:
            raise PreferenceCycle(record.user, [record.prefer, *path[:-1]])

    def _path(self, user: str, start: str, goal: str) -> list[str]:
        below: dict[str, list[str]] = {}
        for prefer, over in self._preferences.get(user, {}):
            below.setdefault(prefer, []).append(over)
        came_from: dict[str, str | None] = {start: None}
        pending = [start]
        while pending:
            at = pending.pop()
            if at == goal:
                path: list[str] = []
                step: str | None = at
                while step is not None:
                    path.append(step)
                    step = came_from[step]
                return path[::-1]
            for follower in below.get(at, []):
                if follower not in came_from:
                    came_from[follower] = at
                    pending.append(follower)
        return []


def record_name(record: Record) -> str:
    """The kind and the unique key of a record, in words."""
    match record:
        case Subscription() | Advertisement():
            return f"{type(record).__name__.lower()} {record.id!r}"
        case Preference():
            return f"preference of {record.user!r} for {record.prefer!r} over {record.over!r}"
        case Policy():
            return f"policy of {record.user!r}"
        case Concept():
            whose = f" of {record.user!r}" if record.user else ""
            return f"concept {record.name!r} on {record.attribute!r}{whose}"
