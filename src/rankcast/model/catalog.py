"""The catalog: all that users and publishers have said, and the rules by which it fits together."""

from collections.abc import Iterator
from typing import TypeAlias

from rankcast.errors import CatalogError, PreferenceCycle, did_you_mean
from rankcast.model.advertisements import Advertisement
from rankcast.model.concepts import Concept
from rankcast.model.events import Event
from rankcast.model.expressions import Expression, predicates_of
from rankcast.model.membership import Membership, Term
from rankcast.model.policies import Policy
from rankcast.model.predicates import Is
from rankcast.model.subscriptions import Preference, Subscription

__all__ = ["Catalog", "Record"]

Record: TypeAlias = Subscription | Preference | Policy | Concept | Advertisement


class Catalog:
    """Subscriptions, preferences, policies, concepts and advertisements that fit together.

    `add` refuses what is there already; `put` replaces it. Both refuse a record that names something unknown
    (a preference between subscriptions that the user does not have, a concept that nobody defined) or that
    closes a circle of preferences; the catalog is then unchanged. One `add` or `put` costs O(1), a preference
    O(the user's preferences).
    """

    def __init__(self, records: "list[Record] | tuple[Record, ...]" = ()) -> None:
        self.subscriptions: dict[str, Subscription] = {}
        self.policies: dict[str, Policy] = {}
        self.concepts: dict[tuple[str, str, str | None], Concept] = {}
        self.advertisements: dict[str, Advertisement] = {}
        self.incomplete: frozenset[str | None] = frozenset()
        """The users of whom a store had to leave a record out, because it cannot read it; None for what concerns all."""
        self._preferences: dict[str, dict[tuple[str, str], Preference]] = {}
        self._of_user: dict[str, dict[str, Subscription]] = {}
        for record in records:
            self.add(record)

    # reading

    def users(self) -> list[str]:
        """All users with a subscription, sorted."""
        return sorted(self._of_user)

    def subscriptions_of(self, user: str) -> list[Subscription]:
        """The user's subscriptions, in the order in which they came."""
        return list(self._of_user.get(user, {}).values())

    def preferences_of(self, user: str) -> list[Preference]:
        """The user's preferences, in the order in which they came."""
        return list(self._preferences.get(user, {}).values())

    def policy_of(self, user: str) -> Policy:
        """The user's policy; mode `all` for one who gave none."""
        return self.policies.get(user) or Policy(user)

    def membership(self, attribute: str, term: Term, user: str | None = None) -> Membership:
        """What a concept (hedges aside) means on an attribute: for this user if they have their own meaning, else
        for everybody."""
        for key in ((attribute, term.concept, user), (attribute, term.concept, None)):
            if key in self.concepts:
                return self.concepts[key].membership
        near = did_you_mean(term.concept, {name for at, name, _ in self.concepts if at == attribute})
        raise CatalogError(f"no concept {term.concept!r} on attribute {attribute!r}{near}")

    def records(self) -> Iterator[Record]:
        """Everything, in an order in which `add` takes it again."""
        yield from self.concepts.values()
        yield from self.subscriptions.values()
        yield from self.policies.values()
        for preferences in self._preferences.values():
            yield from preferences.values()
        yield from self.advertisements.values()

    # checking

    def check_expression(self, where: Expression, user: str | None = None) -> None:
        """Raise if the expression names a concept that nobody defined."""
        for predicate in predicates_of(where):
            if isinstance(predicate.test, Is):
                self.membership(predicate.attribute, predicate.test.term, user)

    def check_event(self, event: Event) -> None:
        """Raise if the event names a concept that nobody defined. What its advertisement allows is the publisher's
        side's matter (`rankcast.overlay`)."""
        for attribute, value in event.attributes.items():
            if isinstance(value, Term):
                self.membership(attribute, value)

    # changing

    def add(self, record: Record) -> None:
        """Take a record that is not there yet."""
        if self._has(record):
            raise CatalogError(f"duplicate {_name(record)}")
        self.put(record)

    def put(self, record: Record) -> None:
        """Take a record, in place of the one with its id (or user, or name) if there is one."""
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
            case Advertisement():
                self.check_expression(record.where)
                self.advertisements[record.id] = record

    def remove(self, record: Record) -> None:
        """Take a record out again. A subscription takes its preferences with it; a concept stays while something
        names it."""
        if not self._has(record):
            raise CatalogError(f"there is no {_name(record)}")
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
                concept = self.concepts.pop(key)
                broken = self._first_broken()
                if broken is not None:
                    self.concepts[key] = concept
                    raise CatalogError(f"concept {record.name!r} on {record.attribute!r} is in use by {_name(broken)}")
            case Advertisement():
                del self.advertisements[record.id]

    def copy(self) -> "Catalog":
        """A catalog with the same records, which changes on its own."""
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
        """The first record that names a concept which is not there."""
        records: list[Subscription | Advertisement] = [*self.subscriptions.values(), *self.advertisements.values()]
        for record in records:
            try:
                self.check_expression(record.where, record.user if isinstance(record, Subscription) else None)
            except CatalogError:
                return record
        return None

    def _has(self, record: Record) -> bool:
        match record:
            case Subscription():
                return record.id in self.subscriptions
            case Preference():
                return (record.prefer, record.over) in self._preferences.get(record.user, {})
            case Policy():
                return record.user in self.policies
            case Concept():
                return (record.attribute, record.name, record.user) in self.concepts
            case Advertisement():
                return record.id in self.advertisements

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


def _name(record: Record) -> str:
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
