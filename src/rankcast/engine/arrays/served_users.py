"""How each user of a shard is served: in the crowd, over arrays, or with the reference engine."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from rankcast.choose.positions import instant
from rankcast.engine.arrays.crowd import Crowd
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.crowd_state import restore_member, state_of
from rankcast.engine.arrays.filters import array_filter
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.modes import suits
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.isolation import IsolatedSubscriber, RecentMoments
from rankcast.engine.reference.subscriber import Subscriber, deliveries_of
from rankcast.model import Catalog, Delivery, Policy, SetAside
from rankcast.model.declared import declared
from rankcast.plain import State

Served: TypeAlias = Member | IsolatedSubscriber
"""How the shard serves a user: in the crowd, or with the reference engine (also after a failure)."""

_NO_POLICY = Policy("nobody")
_fields_of = attrgetter(*(one.name for one in declared(Policy) if one.name != "user"))
"""Everything in a policy but its user. Policies that are read together share these objects if they are equal."""


class ServedUsers:
    """The users of a shard, in order. Each has one way of being served, and can change from one to another.

    `note` receives what is set aside. `is_live` says that batches are small.
    """

    def __init__(
        self, catalog: Catalog, table: EventTable, note: Callable[[SetAside], None], is_live: bool = False
    ) -> None:
        self.catalog = catalog
        self.crowd = Crowd(table)
        self.journal = RecentMoments()
        self.users: dict[str, Served] = {}
        self.names: list[str] = []
        self._table = table
        self._note = note
        self._is_live = is_live
        self._alone: dict[int, IsolatedSubscriber] | None = None
        self._members: Integers | None = None
        self._enough = 0

    def changed(self) -> None:
        """Note that a user is served in another way, or continues from another state."""
        self._alone = self._members = None

    @property
    def member_of(self) -> Integers:
        """By user, the number in the crowd; -1 for users who are not in it."""
        if self._members is None:
            numbers = [served.number if isinstance(served, Member) else -1 for served in self.users.values()]
            self._members = np.array(numbers, np.int64)
        return self._members

    def number(self, user: str) -> int:
        """The index of a user among all users."""
        return bisect_left(self.names, user)

    @property
    def alone(self) -> dict[int, IsolatedSubscriber]:
        """The users who are not in the crowd, by number."""
        if self._alone is None:
            served = enumerate(self.users.values())
            self._alone = {number: one for number, one in served if isinstance(one, IsolatedSubscriber)}
        return self._alone

    def is_served(self, user: str) -> bool:
        """Whether the user is served here, and not set aside."""
        served = self.users.get(user)
        return served is not None and not (isinstance(served, IsolatedSubscriber) and served.is_out)

    def join(self, users: Iterable[str], catalog: Catalog) -> None:
        """Serve users who are new: about 6 µs each, if few of their policies differ in more than their user."""
        alike: dict[tuple[object, ...], list[Member]] = {}
        suiting: dict[tuple[int, ...], bool] = {}
        for user in users:
            policy = catalog.policies.get(user) or _NO_POLICY
            if catalog.preferences_of(user) or policy.decay.preferred or policy.filter is not None:
                isolated = IsolatedSubscriber(user, catalog, self.journal, self._note)
                self.users[user] = self._serve(user, catalog, isolated)
                continue
            # Nothing about this user can fail in the reference engine, which is made when it is needed.
            form = tuple(map(id, _fields_of(policy)))
            suits_here = suiting.get(form)
            if suits_here is None:
                suits_here = suiting[form] = suits(policy, self._is_live)
            if suits_here:
                self.users[user] = member = Member(user, catalog)
                alike.setdefault((form, member.is_wide), []).append(member)
            else:
                self.users[user] = IsolatedSubscriber(user, catalog, self.journal, self._note)
        for members in alike.values():
            self.crowd.add(members)

    def update(self, user: str, catalog: Catalog) -> list[Delivery]:
        """Serve a user by another version of the catalog; returns what is still owed from the one before."""
        served = self.users[user]
        if served.is_current(catalog):
            return []
        isolated = self.isolated(user, served, len(self.journal))
        owed = isolated.update(catalog)
        self.leave(served)
        self.users[user] = new = self._serve(user, catalog, isolated)
        if not isinstance(new, IsolatedSubscriber):
            try:
                self._restore(new, isolated.state())
            except Exception:  # arrays may fail where the reference engine does not
                self.leave(new)
                self.users[user] = isolated
        return deliveries_of(user, owed)

    def _serve(self, user: str, catalog: Catalog, isolated: IsolatedSubscriber) -> Served:
        """The user over arrays if they support the mode and the filter, and otherwise in the reference engine.

        The reference engine also serves the user if something fails.
        """
        oracle = isolated.subscriber
        if oracle is None or not isolated.is_sound:
            return isolated
        try:
            return self._over_arrays(user, catalog, oracle) or isolated
        except Exception:  # arrays may fail where the reference engine does not
            return isolated

    def _over_arrays(self, user: str, catalog: Catalog, oracle: Subscriber) -> Member | None:
        policy, admits = catalog.policy_of(user), None
        if not suits(policy, self._is_live):
            return None
        if policy.filter is not None:
            ids = [one.id for one in catalog.subscriptions_of(user)]
            admits = array_filter(user, policy.filter, ids, policy.decay, policy.origin)
            if admits is None:
                return None
        member = Member(user, catalog, oracle, admits)
        self.crowd.add([member])
        return member

    def leave(self, served: Served) -> None:
        """Take a user out of the crowd."""
        if isinstance(served, Member):
            self.crowd.remove(served)

    def state(self, served: Served) -> State:
        """The delivery state of a user as plain data."""
        return state_of(self.crowd, served, self._table) if isinstance(served, Member) else served.state()

    def _restore(self, served: Served, state: State) -> None:
        if isinstance(served, Member):
            restore_member(self.crowd, served, state, self._table)
        else:
            served.restore(state)

    def restore(self, user: str, state: State) -> None:
        """Continue a user from a saved state.

        The user is served over arrays, unless something has failed there or reading the state fails.
        """
        served = self.users[user]
        if isinstance(served, IsolatedSubscriber) and served.has_begun and not served.is_sound:
            isolated = IsolatedSubscriber(user, self.catalog, self.journal, self._note)
            self.users[user] = served = self._serve(user, self.catalog, isolated)
        if not isinstance(served, IsolatedSubscriber):
            if "failed" not in state and "set_aside" not in state:
                with suppress(Exception):  # the reference engine reports the failure
                    self._restore(served, state)
                    return
            isolated = IsolatedSubscriber(user, self.catalog, self.journal, self._note)
            self.leave(served)
            self.users[user] = served = isolated
        served.restore(state)

    def isolated(self, user: str, served: Served, since: int) -> IsolatedSubscriber:
        """The user in the reference engine, with the current state, which is at place `since` of the journal."""
        if isinstance(served, IsolatedSubscriber):
            return served
        isolated = IsolatedSubscriber(user, self.catalog, self.journal, self._note, served.oracle.renewed(), since)
        try:
            state = self.state(served)
        except Exception as error:
            isolated.leave(error)
            return isolated
        isolated.restore(state)
        isolated.remember(since)
        return isolated

    def takes_back(self, served: Member, isolated: IsolatedSubscriber) -> bool:
        """Whether arrays can take over a user from the reference engine. Users with a failure stay there."""
        if not isolated.is_sound:
            return False
        try:
            self._restore(served, isolated.state())
        except Exception:
            return False
        return True

    def replace(self, faulty: Mapping[str, IsolatedSubscriber]) -> None:
        """Serve these users with the reference engine from now on."""
        for user, isolated in faulty.items():
            self.leave(self.users[user])
            self.users[user] = isolated
        if faulty:
            self.changed()

    def put_out(self, user: str, error: Exception) -> None:
        """Set a user aside because of an error elsewhere."""
        isolated = self.isolated(user, self.users[user], len(self.journal))
        isolated.leave(error)
        if isolated is not self.users[user]:
            self.replace({user: isolated})

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver, so that `advance` has work; None if never."""
        of_crowd = self.crowd.due
        times = [one.due for one in self.alone.values()]
        times.append(None if of_crowd is None else instant(of_crowd))
        return min((due for due in times if due is not None), default=None)

    def turn(self) -> None:
        """Shorten the journal if it is full."""
        if self.journal.is_full:
            self.journal.turn([*self.alone.values()])

    def forget(self) -> None:
        """Drop the events that nobody needs any more."""
        if len(self._table) <= self._enough:
            return
        self._table.forget(self.crowd.oldest_row() if len(self.crowd) else self._table.next_row)
        self._enough = 2 * len(self._table) + len(self.users) // 100  # checking costs 2 µs per user
