"""One user of a crowd: the policy, and the reference engine that ranks for the user."""

from collections.abc import Sequence

from rankcast.choose.positions import microseconds, span
from rankcast.engine.arrays.crowd_patterns import LARGEST_MASK
from rankcast.engine.arrays.patterns import Pattern
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.model import EPOCH, Catalog, DistanceName, Event, Length, Mode, Policy, Select, Ties, Unit

__all__ = ["Member", "joins"]

_NO_EVENT = Event("none", EPOCH, {})
_NO_LENGTH = Length(1)
_LARGEST_K = 48
_LARGEST_WINDOW = 2_048
"""The largest diverse windows in a crowd."""


def joins(policy: Policy, subscriptions: int) -> bool:
    """Whether a user that arrays can serve (`rankcast.engine.arrays.modes.suits`) can be served in a crowd."""
    if policy.filter is not None or subscriptions > LARGEST_MASK:
        return False
    match policy.mode:
        case Mode.ALL:
            return True
        case Mode.SLIDING:
            return not policy.calm and (policy.sigma == 1 or _is_plainly_diverse(policy))
        case Mode.PERIODIC | Mode.HISTORY:
            return policy.sigma == 1
    return False


def _is_plainly_diverse(policy: Policy) -> bool:
    """Whether a window is diverse by the greedy choice and the plain distance, and is not large.

    For large windows it pays to keep distances (`rankcast.engine.arrays.rings`), which the crowd does not.
    """
    assert policy.k is not None
    assert policy.length is not None
    amount = policy.length.amount
    is_plain = policy.select is Select.GREEDY and policy.distance is DistanceName.JACCARD
    is_small = policy.k <= _LARGEST_K and (not isinstance(amount, int) or amount <= _LARGEST_WINDOW)
    return is_plain and not policy.weights and policy.attributes is None and is_small


class Member:
    """One user of a crowd.

    The reference engine ranks each set of subscriptions, and takes over when the catalog changes.
    """

    def __init__(self, user: str, catalog: Catalog, oracle: Subscriber) -> None:
        self.user = user
        self.oracle = oracle
        self.policy = catalog.policy_of(user)
        self.number = -1
        """The number of the member in the crowd; set by the crowd."""
        self._subscriptions = catalog.subscriptions_of(user)

    @property
    def is_diverse(self) -> bool:
        """Whether distances are needed."""
        return self.policy.mode is Mode.SLIDING and self.policy.sigma < 1

    def pattern(self, places: Sequence[int]) -> Pattern:
        """The pattern of some of the subscriptions."""
        candidate = self.oracle.candidate(_NO_EVENT, [(self._subscriptions[place], 1.0) for place in places])
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
        return {
            "mode": DIVERSE if self.is_diverse else modes[policy.mode],
            "k": min(policy.k or 0, never),
            "span": min(span(length), never),
            "unit": units[length.unit],
            "replaces": int(policy.ties is Ties.REPLACE),
            "sigma": policy.sigma,
            "until": never,
            "origin": microseconds(policy.origin) if length.unit is Unit.TIME else 1,
            "period": -never,
            "clock": -never,
        }
