"""Policies: how much a user wants to hear, when, and by which criteria (SPEC 2 to 5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

from rankcast.errors import ModelError
from rankcast.model.values import EPOCH, check_scalar

__all__ = [
    "Aggregate",
    "Decay",
    "Decaying",
    "Filter",
    "FilterKind",
    "Length",
    "Levels",
    "Mode",
    "Norm",
    "NoveltyPart",
    "Part",
    "Policy",
    "Rates",
    "Scoring",
    "Select",
    "Ties",
    "Unit",
    "Update",
]


class Mode(Enum):
    """When the top-k is taken (SPEC 4)."""

    ALL = "all"
    PERIODIC = "periodic"
    SLIDING = "sliding"
    HISTORY = "history"


class Unit(Enum):
    """What a length counts: events published, events matching this user, or time."""

    EVENTS = "events"
    MATCHED = "matched"
    TIME = "time"


class Aggregate(Enum):
    """F: one rank out of the scores of the most specific subscriptions."""

    MAX = "max"
    MIN = "min"
    MEAN = "mean"
    WEIGHTED = "weighted"


class Levels(Enum):
    """G: the score of level l out of n. `linear` is the paper's (n - l + 1) / n, `inverse` is 1 / l, `halving`
    is 2^(1 - l)."""

    LINEAR = "linear"
    INVERSE = "inverse"
    HALVING = "halving"


class Ties(Enum):
    """Whether an event of equal value replaces one in the history list (SPEC 8)."""

    KEEP = "keep"
    REPLACE = "replace"


class Select(Enum):
    """The algorithm that picks k of n."""

    GREEDY = "greedy"
    EXACT = "exact"
    IMPROVED = "improved"


class Norm(Enum):
    """The t-norm that aggregates degrees over `and`; its dual aggregates over `or` (SPEC 6)."""

    MIN = "min"
    PRODUCT = "product"
    LUKASIEWICZ = "lukasiewicz"


class Part(Enum):
    """A criterion of the combined score, each in 0..1."""

    PREFERENCE = "preference"
    NOVELTY = "novelty"
    DEGREE = "degree"
    AUTHORITY = "authority"
    RECENCY = "recency"


class FilterKind(Enum):
    """The filters (SPEC 5): the k best of late, by chance in favour of the rare, all from a fixed score on, by chance."""

    THRESHOLD = "threshold"
    SAMPLING = "sampling"
    MINIMUM = "minimum"
    RANDOM = "random"


class Scoring(Enum):
    """What a filter goes by: novelty as a share of the deliveries, as the distance to the last one, as what decays with
    every match; or the event's rank, whatever made it."""

    RATE = "rate"
    INTERVAL = "interval"
    DECAY = "decay"
    SCORE = "score"


class Decay(Enum):
    """What one matching event does to a decaying novelty: subtract `alpha`, or multiply by it."""

    LINEAR = "linear"
    EXPONENTIAL = "exponential"


class Update(Enum):
    """When a filter learns: once per period, or with every event over a window."""

    LAZY = "lazy"
    EAGER = "eager"


class Rates(Enum):
    """Over what a sampling filter counts match rates: all history (the thesis), or the period or window."""

    HISTORY = "history"
    PERIOD = "period"


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a period or window: so many events, or so much time."""

    amount: int | timedelta
    unit: Unit = Unit.EVENTS

    def __post_init__(self) -> None:
        if isinstance(self.amount, timedelta) != (self.unit is Unit.TIME):
            raise ModelError(f"a length in unit {self.unit.value!r} cannot be {self.amount!r}")
        positive = self.amount > timedelta(0) if isinstance(self.amount, timedelta) else self.amount > 0
        if not positive:
            raise ModelError(f"length is {self.amount}; it must be above 0")


@dataclass(frozen=True, slots=True)
class Decaying:
    """Novelty that starts at `beta` and falls by `alpha`, or to `alpha` times itself, with every match (DBRank'10).

    Only the matches of the current `period`, or those within the last `window`, count; with neither, all do.
    """

    form: Decay = Decay.LINEAR
    beta: float = 1.0
    alpha: float = 0.001
    period: Length | None = None
    window: Length | None = None

    def __post_init__(self) -> None:
        if not (0 < self.beta < float("inf") and 0 < self.alpha < float("inf")):
            raise ModelError(f"beta is {self.beta} and alpha {self.alpha}; both must be above 0")
        if self.form is Decay.EXPONENTIAL and self.alpha >= 1:
            raise ModelError(f"alpha is {self.alpha}; a factor of decay must be below 1")
        if self.period is not None and self.window is not None:
            raise ModelError("novelty decays over a period or over a window, not over both")


@dataclass(frozen=True, slots=True)
class NoveltyPart:
    """Which novelty is a part of the combined score."""

    scoring: Scoring = Scoring.RATE
    aging: float = 1.0

    def __post_init__(self) -> None:
        if self.scoring is Scoring.SCORE:
            raise ModelError("the novelty in a score cannot be that score; say rate, interval or decay")
        if not 0 <= self.aging <= 1:
            raise ModelError(f"aging is {self.aging}; it must lie in 0..1")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter with the budget `rate` * `period` per period of matching events (lazy), or in the last `period` of
    them (eager). `minimum` is for the kind of that name; `aging` for scoring by rate and interval."""

    novelty: FilterKind
    rate: float
    period: int = 1000
    scoring: Scoring = Scoring.RATE
    update: Update = Update.LAZY
    aging: float = 1.0
    rates: Rates = Rates.HISTORY
    seed: int = 0
    minimum: float = 0.5

    def __post_init__(self) -> None:
        if not -float("inf") < self.minimum < float("inf"):
            raise ModelError(f"minimum is {self.minimum}; it must be a number")
        if not 0 < self.rate <= 1:
            raise ModelError(f"rate is {self.rate}; it must be above 0 and at most 1")
        if self.period < 1:
            raise ModelError(f"period is {self.period}; it must be at least 1")
        if not 0 <= self.aging <= 1:
            raise ModelError(f"aging is {self.aging}; it must lie in 0..1")
        if self.novelty is not FilterKind.RANDOM and self.rate * self.period < 1 - 1e-9:
            raise ModelError(
                f"rate {self.rate} of a period of {self.period} is less than one event, so nothing would ever pass"
            )


@dataclass(frozen=True, slots=True)
class Policy:
    """One user's way of being served. A user without a policy gets mode `all`.

    `sigma` weighs rank (1) against diversity (0). `weights` and `attributes` shape the distance of events:
    weights default to 1, and `attributes` None means that all count. `score` weighs the parts of the rank;
    `authority` says how much each source is worth (1 if not named), `half_life` at what age an event is worth half,
    `novelty` which novelty it is, and `decay` how the decaying one falls, there and in the filter. `origin` is where
    periods of time begin.
    """

    user: str
    mode: Mode = Mode.ALL
    k: int | None = None
    length: Length | None = None
    sigma: float = 1.0
    aggregate: Aggregate = Aggregate.MAX
    levels: Levels = Levels.LINEAR
    norm: Norm = Norm.MIN
    ties: Ties = Ties.KEEP
    select: Select = Select.GREEDY
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    attributes: tuple[str, ...] | None = None
    score: Mapping[Part, float] = field(default_factory=lambda: {Part.PREFERENCE: 1.0}, hash=False)
    authority: Mapping[str, float] = field(default_factory=dict, hash=False)
    half_life: timedelta = timedelta(days=1)
    filter: Filter | None = None
    origin: datetime = EPOCH
    novelty: NoveltyPart = NoveltyPart()
    decay: Decaying = Decaying()

    def __post_init__(self) -> None:
        if not self.user:
            raise ModelError("a policy needs a user")
        check_scalar(self.user)
        object.__setattr__(self, "origin", check_scalar(self.origin))
        if self.mode is not Mode.ALL and (self.k is None or self.length is None):
            raise ModelError(f"mode {self.mode.value!r} needs both 'k' and 'length'")
        if self.k is not None and self.k < 1:
            raise ModelError(f"k is {self.k}; it must be at least 1")
        if not 0 <= self.sigma <= 1:
            raise ModelError(f"sigma is {self.sigma}; it must lie in 0..1")
        for name, weight in (*self.weights.items(), *((part.value, w) for part, w in self.score.items())):
            if not 0 <= weight < float("inf"):
                raise ModelError(f"the weight of {name!r} is {weight}; it must not be negative")
        for source, worth in self.authority.items():
            if not 0 <= worth <= 1:
                raise ModelError(f"the authority of {source!r} is {worth}; it must lie in 0..1")
        if self.half_life <= timedelta(0):
            raise ModelError(f"half_life is {self.half_life}; it must be above 0")
        if not sum(self.score.values()) > 0:
            raise ModelError("'score' needs at least one part with a weight above 0")
        if self.attributes is not None and not self.attributes:
            raise ModelError("'attributes' must name at least one attribute, or be left out")
