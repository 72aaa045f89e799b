"""One user of a crowd: the policy, and the reference engine that ranks for the user."""

from collections.abc import Sequence

from rankcast.choose.positions import microseconds, span
from rankcast.choose.ties import GRID_STEPS, on_grid
from rankcast.engine.arrays.filters import ArrayFilter
from rankcast.engine.arrays.patterns import LARGEST_MASK, Pattern
from rankcast.engine.reference.subscriber import Subscriber, records_of
from rankcast.model import EPOCH, Aggregate, Catalog, Event, FilterKind, Length, Mode, Select, Ties, Unit
from rankcast.rank import scores

_NO_EVENT = Event("none", EPOCH, {})
_NO_LENGTH = Length(1)


class Member:
    """One user of a crowd.

    The reference engine ranks each set of subscriptions, and takes over when the catalog changes. Without `oracle`, it
    is made when it is first needed: most users of a large shard match nothing for a long time.
    """

    __slots__ = ("_oracle", "_records", "filter", "number", "policy", "user")

    def __init__(
        self, user: str, catalog: Catalog, oracle: Subscriber | None = None, admits: ArrayFilter | None = None
    ) -> None:
        self.user = user
        self._records = records_of(user, catalog)
        self.policy = self._records.policy
        self.number = -1
        """The number of the member in the crowd; set by the crowd."""
        self.filter = admits
        """Decides which of the matching events reach the delivery mode; None if all do."""
        self._oracle = oracle

    @property
    def oracle(self) -> Subscriber:
        """The user in the reference engine, as if nothing had been published."""
        if self._oracle is None:
            subscriptions, preferences, policy, concepts = self._records
            self._oracle = Subscriber(self.user, Catalog([*concepts, *subscriptions, *preferences, policy]))
        return self._oracle

    def is_current(self, catalog: Catalog) -> bool:
        """Whether this catalog contains nothing new about the user."""
        return self._records == records_of(self.user, catalog)

    @property
    def is_wide(self) -> bool:
        """Whether the user has too many subscriptions for a mask."""
        return len(self._records.subscriptions) > LARGEST_MASK

    @property
    def draws(self) -> bool:
        """Whether the filter decides at random."""
        return self.policy.filter is not None and self.policy.filter.novelty in (FilterKind.SAMPLING, FilterKind.RANDOM)

    @property
    def is_diverse(self) -> bool:
        """Whether distances are needed."""
        return self.policy.mode is not Mode.ALL and self.policy.sigma < 1

    @property
    def is_timed(self) -> bool:
        """Whether the window or the periods are of time."""
        return self.policy.length is not None and self.policy.length.unit is Unit.TIME

    def pattern(self, places: Sequence[int]) -> Pattern:
        """The pattern of some of the subscriptions."""
        subscriptions = self._records.subscriptions
        if len(places) == 1 and isinstance(self.policy.aggregate, Aggregate):  # which leaves one score as it is
            alone = (subscriptions[places[0]].id,)
            if self._oracle is None and len(subscriptions) <= LARGEST_MASK:  # most users never need more than this
                known = scores(subscriptions, self._records.preferences, self.policy.levels)
                return Pattern(alone, alone, known[alone[0]])
            return Pattern(alone, alone, self.oracle.score(alone[0]))
        candidate = self.oracle.candidate(_NO_EVENT, [(subscriptions[place], 1.0) for place in places])
        return Pattern(candidate.matching, candidate.specific, candidate.rank)

    def columns(self) -> dict[str, float]:
        """What the policy says, for the columns of the kernels (`MemberColumns`), before the first event."""
        from rankcast.engine.arrays.kernels.crowds.columns import (
            ALL,
            DIVERSE,
            EVENTS,
            HISTORY,
            MATCHED,
            NEVER,
            PERIODIC,
            SLIDING,
            TIME,
        )

        modes = {Mode.ALL: ALL, Mode.SLIDING: SLIDING, Mode.PERIODIC: PERIODIC, Mode.HISTORY: HISTORY}
        units = {Unit.EVENTS: EVENTS, Unit.MATCHED: MATCHED, Unit.TIME: TIME}
        policy, never = self.policy, int(NEVER)
        length = policy.length or _NO_LENGTH
        is_plain = policy.mode is not Mode.SLIDING or (policy.sigma == 1 and not policy.calm)
        return {
            "mode": modes[policy.mode] if is_plain else DIVERSE,
            "k": min(policy.k or 0, never),
            "span": min(span(length), never),
            "unit": units[length.unit],
            "replaces": int(policy.ties is Ties.REPLACE),
            "sigma": policy.sigma,
            "improves": int(policy.select is Select.IMPROVED),
            "calm": round(on_grid(policy.calm) * GRID_STEPS) if policy.calm else -1,
            "wide": int(self.is_wide),
            "filters": int(self.filter is not None),
            "until": never,
            "origin": microseconds(policy.origin) if length.unit is Unit.TIME else 1,
            "period": -never,
            "clock": -never,
        }
