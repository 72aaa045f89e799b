"""The delivery mode that a policy asks for (semantics: Delivery modes)."""

from rankcast.choose.all_events import AllEvents
from rankcast.choose.candidates import DeliveryMode
from rankcast.choose.distance import Distance
from rankcast.choose.exact import Exact
from rankcast.choose.fading import fading_of
from rankcast.choose.greedy import GREEDY
from rankcast.choose.history import History
from rankcast.choose.improved import Improved
from rankcast.choose.objective import DivRank, MaxMin, Objective
from rankcast.choose.periodic import Periodic
from rankcast.choose.selection import Optimizer
from rankcast.choose.sliding import Sliding
from rankcast.model import Mode, ObjectiveName, Policy, Select

_OPTIMIZERS: dict[Select, Optimizer] = {
    Select.GREEDY: GREEDY,
    Select.EXACT: Exact(),
    Select.IMPROVED: Improved(),
}


def objective_of(policy: Policy) -> Objective:
    """What the sets of a policy maximise."""
    match policy.objective:
        case ObjectiveName.DIVRANK:
            return DivRank(policy.sigma, Distance.of(policy))
        case ObjectiveName.MAX_MIN:
            return MaxMin(policy.sigma, Distance.of(policy))


def delivery_mode(policy: Policy) -> DeliveryMode:
    """A new delivery mode for one user, without the policy's filter (see `rankcast.choose.filters.filtered`)."""
    if policy.mode is Mode.ALL:
        return AllEvents()
    assert policy.k is not None
    assert policy.length is not None
    objective = objective_of(policy)
    optimizer = _OPTIMIZERS[policy.select]
    fading = fading_of(policy)
    match policy.mode:
        case Mode.PERIODIC:
            return Periodic(policy.k, policy.length, objective, optimizer, policy.origin, fading)
        case Mode.SLIDING:
            return Sliding(policy.k, policy.length, objective, optimizer, fading, policy.calm)
        case Mode.HISTORY:
            return History(policy.k, policy.length, objective, policy.ties, fading)
