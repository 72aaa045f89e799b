"""What things are: values, events, predicates, expressions, subscriptions, policies, the catalog.

Immutable (but for the catalog), with no behaviour beyond their own meaning; SPEC 1 to 7 in types.
"""

from rankcast.model.advertisements import Advertisement, Ranking, ScorerName
from rankcast.model.catalog import Catalog, Record
from rankcast.model.concepts import Concept
from rankcast.model.deliveries import Delivery, Match, Reject
from rankcast.model.events import AttributeValue, Event, in_publication_order
from rankcast.model.expressions import Always, And, Expression, Not, Or, predicates_of
from rankcast.model.membership import (
    Gaussian,
    Hedge,
    Interval,
    LeftShoulder,
    Membership,
    Piecewise,
    RightShoulder,
    Table,
    Term,
    Trapezoid,
    Triangle,
)
from rankcast.model.policies import (
    Aggregate,
    Filter,
    FilterKind,
    Length,
    Levels,
    Mode,
    Norm,
    Part,
    Policy,
    Rates,
    Scoring,
    Select,
    Ties,
    Unit,
    Update,
)
from rankcast.model.predicates import Between, Compare, Exists, Is, OneOf, Op, Predicate, Test, Thresholds
from rankcast.model.subscriptions import Preference, Subscription
from rankcast.model.values import EPOCH, Kind, Scalar, Values, check_scalar, identity, kind_of

__all__ = [
    "EPOCH",
    "Advertisement",
    "Aggregate",
    "Always",
    "And",
    "AttributeValue",
    "Between",
    "Catalog",
    "Compare",
    "Concept",
    "Delivery",
    "Event",
    "Exists",
    "Expression",
    "Filter",
    "FilterKind",
    "Gaussian",
    "Hedge",
    "Interval",
    "Is",
    "Kind",
    "LeftShoulder",
    "Length",
    "Levels",
    "Match",
    "Membership",
    "Mode",
    "Norm",
    "Not",
    "OneOf",
    "Op",
    "Or",
    "Part",
    "Piecewise",
    "Policy",
    "Predicate",
    "Preference",
    "Ranking",
    "Rates",
    "Record",
    "Reject",
    "RightShoulder",
    "Scalar",
    "ScorerName",
    "Scoring",
    "Select",
    "Subscription",
    "Table",
    "Term",
    "Test",
    "Thresholds",
    "Ties",
    "Trapezoid",
    "Triangle",
    "Unit",
    "Update",
    "Values",
    "check_scalar",
    "identity",
    "in_publication_order",
    "kind_of",
    "predicates_of",
]
