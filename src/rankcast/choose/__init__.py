"""Choosing what to send: distances between events, selection of the best k, delivery modes."""

from rankcast.choose.all_events import AllEvents
from rankcast.choose.candidates import Candidate, DeliveryMode, Moment, Step, StopCause
from rankcast.choose.distance import Distance, distance
from rankcast.choose.exact import Exact, Proof
from rankcast.choose.greedy import Greedy
from rankcast.choose.history import History
from rankcast.choose.improved import Improved
from rankcast.choose.modes import delivery_mode
from rankcast.choose.objective import DivRank, MaxMin, Objective
from rankcast.choose.periodic import Periodic
from rankcast.choose.selection import Optimizer, Selection, select
from rankcast.choose.sliding import Sliding

__all__ = [
    "AllEvents",
    "Candidate",
    "DeliveryMode",
    "Distance",
    "DivRank",
    "Exact",
    "Greedy",
    "History",
    "Improved",
    "MaxMin",
    "Moment",
    "Objective",
    "Optimizer",
    "Periodic",
    "Proof",
    "Selection",
    "Sliding",
    "Step",
    "StopCause",
    "delivery_mode",
    "distance",
    "select",
]
