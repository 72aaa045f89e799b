"""The delivery mode that a policy asks for (semantics: Delivery modes)."""

from rankcast.choose.all_events import AllEvents
from rankcast.choose.candidates import DeliveryMode
from rankcast.choose.distance import Distance
from rankcast.choose.exact import Exact
from rankcast.choose.fading import fading_of
from rankcast.choose.greedy import Greedy
from rankcast.choose.history import History
from rankcast.choose.improved import Improved
from rankcast.choose.objective import DivRank
from rankcast.choose.periodic import Periodic
from rankcast.choose.selection import Optimizer
from rankcast.choose.sliding import Sliding
from rankcast.model import Mode, Policy, Select

__all__ = ["delivery_mode"]

_OPTIMIZERS: dict[Select, Optimizer] = {
    Select.GREEDY: Greedy(),
    Select.EXACT: Exact(),
    Select.IMPROVED: Improved(),
}


def delivery_mode(policy: Policy) -> DeliveryMode:
    """A new delivery mode for one user, without the policy's filter (see `rankcast.choose.filters.filtered`)."""
    if policy.mode is Mode.ALL:
        return AllEvents()
    assert policy.k is not None
    assert policy.length is not None
    objective = DivRank(policy.sigma, Distance(policy.weights, policy.attributes))
    optimizer = _OPTIMIZERS[policy.select]
    fading = fading_of(policy)
    match policy.mode:
        case Mode.PERIODIC:
            return Periodic(policy.k, policy.length, objective, optimizer, policy.origin, fading)
        case Mode.SLIDING:
            return Sliding(policy.k, policy.length, objective, optimizer, fading)
        case Mode.HISTORY:
            return History(policy.k, policy.length, objective, policy.ties, fading)
