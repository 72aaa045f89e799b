"""Policies: how much a user wants to hear, when, and by which criteria (semantics: Preference to Novelty).

Each field is declared once, with its bounds, its help and what a change of it restarts (`rankcast.model.declared`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated

from rankcast.errors import ModelError
from rankcast.model.declared import (
    NAME,
    About,
    Duration,
    Instant,
    Names,
    Nested,
    Numbers,
    Real,
    RestartedState,
    Whole,
    Word,
    Worded,
    check_fields,
    declared,
)
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
    "Policy",
    "RateSpan",
    "ScorePart",
    "Scoring",
    "Select",
    "Ties",
    "Unit",
    "Update",
    "restarted",
]


class Mode(Worded):
    """When the top-k is taken (semantics: Delivery modes)."""

    ALL = "all", "Everything", "Whatever matches, at once."
    PERIODIC = "periodic", "Periodic", "The best of each period, at its end."
    SLIDING = "sliding", "Sliding", "What enters the best of a sliding window, at once."
    HISTORY = "history", "History", "What betters the best of what you got, at once."


class Unit(Worded):
    """What a length counts: events published, events matching this user, or time."""

    EVENTS = "events", "events", "Events published."
    MATCHED = "matched", "matches", "Events that match the user."
    TIME = "time", "time", "Time."


class Aggregate(Worded):
    """F: one rank out of the scores of the most specific subscriptions."""

    MAX = "max", "Highest", "The highest of their scores."
    MIN = "min", "Lowest", "The lowest of their scores."
    MEAN = "mean", "Mean", "The mean of their scores."
    WEIGHTED = "weighted", "Weighted mean", "The mean of their scores, by the subscriptions' weights."


class Levels(Worded):
    """G: the score of level l out of n. `linear` is the paper's (n - l + 1) / n, `inverse` is 1 / l, `halving`
    is 2^(1 - l)."""

    LINEAR = "linear", "Evenly", "By equal steps from 1 down."
    INVERSE = "inverse", "1, 1/2, 1/3, …", "To one over the level."
    HALVING = "halving", "1, 1/2, 1/4, …", "To half with each level."


class Ties(Worded):
    """Whether an event of equal value replaces one in the history list (semantics: Errata of the papers)."""

    KEEP = "keep", "Keep the older", "An equal event does not replace an older one."
    REPLACE = "replace", "Take the newer", "An equal event replaces an older one."


class Select(Worded):
    """The algorithm that picks k of n."""

    GREEDY = "greedy", "Greedily", "One at a time, the best next one."
    EXACT = "exact", "Exactly", "The best set of all."
    IMPROVED = "improved", "Greedily, then by swaps", "One at a time, then by swaps as long as they help."


class Norm(Worded):
    """The t-norm that aggregates degrees over `and`; its dual aggregates over `or` (semantics: Approximate matching)."""

    MIN = "min", "Lowest", "The lowest of the degrees."
    PRODUCT = "product", "Product", "The product of the degrees."
    LUKASIEWICZ = "lukasiewicz", "Lukasiewicz", "What the degrees lack of 1, added up."


class ScorePart(Worded):
    """A criterion of the combined score, each in 0..1."""

    PREFERENCE = "preference", "Preference", "what you prefer"
    NOVELTY = "novelty", "Novelty", "what you have not seen of late"
    DEGREE = "degree", "Degree of match", "how well it matches"
    AUTHORITY = "authority", "Source", "who says it"
    RECENCY = "recency", "Recency", "how new it is"


class FilterKind(Worded):
    """The filters (semantics: Novelty): the k best of late, by chance in favour of the rare, all from a fixed score on, by chance.
    The meaning is a template over the fields of the filter."""

    THRESHOLD = "threshold", "Best share", "the best {rate:.0%} of what matches"
    SAMPLING = "sampling", "Sample, rare first", "about {rate:.0%} of what matches, the rare rather than the frequent"
    MINIMUM = "minimum", "From a score on", "what reaches {minimum:.3g}"
    RANDOM = "random", "By chance", "{rate:.0%} of what matches, by chance"


class Scoring(Worded):
    """What a filter goes by: novelty as a share of the deliveries, as the distance to the last one, as what decays with
    every match; or the event's rank, whatever made it."""

    RATE = "rate", "Share of deliveries", "How rarely a subscription was served."
    INTERVAL = "interval", "Time since the last", "How long ago a subscription was served."
    DECAY = "decay", "Decays with every match", "What falls with every match."
    SCORE = "score", "Rank", "The event's rank."


class Decay(Worded):
    """What one matching event does to a decaying novelty: subtract `alpha`, or multiply by it."""

    LINEAR = "linear", "By a constant", "Each match subtracts alpha."
    EXPONENTIAL = "exponential", "By a factor", "Each match multiplies by alpha."


class Update(Worded):
    """When a filter learns: once per period, or with every event over a window."""

    LAZY = "lazy", "Once per period", "At the end of each period."
    EAGER = "eager", "With every event", "With every matching event, over a window."


class RateSpan(Worded):
    """Over what a sampling filter counts match rates: all history (the thesis), or the period or window."""

    HISTORY = "history", "All history", "All that ever matched."
    PERIOD = "period", "The period or window", "The matches of the period or window."


_LONGEST = timedelta(days=3_660)
EVENTS = Whole(1, 1_000_000)
TIME = Duration(timedelta(milliseconds=1), _LONGEST)
_SHARE = Real(0, 1)
_WEIGHT = Real(0, 1_000_000)
_AMOUNT = Real(0, 1_000_000, above=True)
_SEED = Whole(-(2**63), 2**63 - 1)


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a period or window: so many events, or so much time."""

    amount: int | timedelta
    unit: Unit = Unit.EVENTS

    def __post_init__(self) -> None:
        if isinstance(self.amount, timedelta) != (self.unit is Unit.TIME):
            raise ModelError(f"a length in unit {self.unit.value!r} cannot be {self.amount!r}")
        (TIME if self.unit is Unit.TIME else EVENTS).check("length", self.amount)


_LENGTH = Nested(Length)


@dataclass(frozen=True, slots=True)
class Decaying:
    """Novelty that starts at `beta` and falls by `alpha`, or to `alpha` times itself, with every match (DBRank'10).

    Only the matches of the current `period`, or those within the last `window`, count; with neither, all do.
    """

    form: Annotated[Decay, About(Word(Decay), "How decaying novelty falls.", "It falls")] = Decay.LINEAR
    beta: Annotated[float, About(_AMOUNT, "What decaying novelty starts at.", "Starts at")] = 1.0
    alpha: Annotated[
        float, About(_AMOUNT, "What each match subtracts; or the factor, below 1, if exponential.", "Falls by")
    ] = 0.001
    period: Annotated[
        Length | None, About(_LENGTH, "Only matches of the current period count.", "Only matches of the period of")
    ] = None
    window: Annotated[
        Length | None, About(_LENGTH, "Only matches within the last so much count.", "Only matches of the last")
    ] = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.form is Decay.EXPONENTIAL and self.alpha >= 1:
            raise ModelError(f"alpha is {self.alpha}; a factor of decay must be below 1")
        if self.period is not None and self.window is not None:
            raise ModelError("novelty decays over a period or over a window, not over both")


_AGING = About(_SHARE, "1: only the present counts; below, a part of what was before.", "Weight of the present")


@dataclass(frozen=True, slots=True)
class NoveltyPart:
    """Which novelty is a part of the combined score."""

    scoring: Annotated[Scoring, About(Word(Scoring), "What the novelty in the score is.", "Novelty is")] = Scoring.RATE
    aging: Annotated[float, _AGING] = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.scoring is Scoring.SCORE:
            raise ModelError("the novelty in a score cannot be that score; say rate, interval or decay")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter with the budget `rate` * `period` per period of matching events (lazy), or in the last `period` of
    them (eager). `minimum` is for the kind of that name; `aging` for scoring by rate and interval."""

    novelty: Annotated[FilterKind, About(Word(FilterKind), "Which filter.", "Novelty filter")]
    rate: Annotated[float, About(Real(0, 1, above=True), "The share that may pass.", "Share let through")]
    period: Annotated[int, About(EVENTS, "Matching events in a period or window.", "Matches in a period")] = 1000
    scoring: Annotated[Scoring, About(Word(Scoring), "What the filter goes by.", "It goes by")] = Scoring.RATE
    update: Annotated[Update, About(Word(Update), "When the filter learns.", "It learns")] = Update.LAZY
    aging: Annotated[float, _AGING] = 1.0
    rates: Annotated[
        RateSpan, About(Word(RateSpan), "Over what match rates are counted (sampling).", "Match rates are counted over")
    ] = RateSpan.HISTORY
    seed: Annotated[int, About(_SEED, "Seed for the random choices.", "Seed")] = 0
    minimum: Annotated[float, About(Real(-1_000_000, 1_000_000), "The least score that passes (minimum).", "From")] = (
        0.5
    )

    def __post_init__(self) -> None:
        check_fields(self)
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

    user: Annotated[str, About(NAME, "Whose policy it is.")]
    mode: Annotated[Mode, About(Word(Mode), "When the best are taken.", "Mode", RestartedState.WINDOW)] = Mode.ALL
    k: Annotated[int | None, About(Whole(1, 1_000), "How many of the best.", "At most")] = None
    length: Annotated[
        Length | None,
        About(_LENGTH, "Of a period or window: 100 (events), or 30m, 1h30m, 1d.", "Length", RestartedState.WINDOW),
    ] = None
    sigma: Annotated[float, About(_SHARE, "1: rank alone counts; 0: diversity.", "Rank against variety")] = 1.0
    aggregate: Annotated[
        Aggregate,
        About(
            Word(Aggregate), "One rank of several scores.", "Of several subscriptions, the rank is the", topic="Score"
        ),
    ] = Aggregate.MAX
    levels: Annotated[
        Levels, About(Word(Levels), "Scores of preference levels.", "Worth of levels falls", topic="Score")
    ] = Levels.LINEAR
    norm: Annotated[Norm, About(Word(Norm), "How degrees combine over 'and'.", "Degrees combine by", topic="Score")] = (
        Norm.MIN
    )
    ties: Annotated[
        Ties, About(Word(Ties), "Whether an equal event replaces one in the history.", "Of two equal events")
    ] = Ties.KEEP
    select: Annotated[Select, About(Word(Select), "How k of n are chosen.", "The choice is made")] = Select.GREEDY
    weights: Annotated[
        Mapping[str, float], About(Numbers(_WEIGHT), "What an attribute counts for distance.", "Weights for distance")
    ] = field(default_factory=dict, hash=False)
    attributes: Annotated[
        tuple[str, ...] | None,
        About(Names(), "Only these count for distance.", "Attributes in which events should differ (none: all)"),
    ] = None
    score: Annotated[
        Mapping[ScorePart, float],
        About(
            Numbers(_WEIGHT, ScorePart),
            "What preference, novelty, degree, authority, recency count.",
            "What counts",
            topic="Score",
        ),
    ] = field(default_factory=lambda: {ScorePart.PREFERENCE: 1.0}, hash=False)
    authority: Annotated[
        Mapping[str, float], About(Numbers(_SHARE), "What a source is worth.", "Worth of sources", topic="Score")
    ] = field(default_factory=dict, hash=False)
    half_life: Annotated[
        timedelta,
        About(
            Duration(timedelta(seconds=1), _LONGEST),
            "At what age an event is worth half.",
            "Worth half after",
            topic="Score",
        ),
    ] = timedelta(days=1)
    filter: Annotated[
        Filter | None,
        About(
            Nested(Filter, "a filter"),
            "Which novelty filter stands before the mode.",
            "Novelty filter",
            RestartedState.WINDOW,
        ),
    ] = None
    novelty: Annotated[
        NoveltyPart,
        About(
            Nested(NoveltyPart, "the novelty of a policy"),
            "Novelty in the score.",
            "Novelty in the score",
            RestartedState.NOVELTY,
        ),
    ] = NoveltyPart()
    decay: Annotated[
        Decaying,
        About(
            Nested(Decaying, "the decay of a policy"),
            "Decaying novelty.",
            "Decaying novelty",
            RestartedState.NOVELTY | RestartedState.DECAY,
        ),
    ] = Decaying()
    origin: Annotated[
        datetime,
        About(
            Instant(),
            "Where periods of time begin.",
            "Periods begin at",
            RestartedState.WINDOW | RestartedState.NOVELTY,
        ),
    ] = EPOCH

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "origin", check_scalar(self.origin))
        if self.mode is not Mode.ALL and (self.k is None or self.length is None):
            raise ModelError(f"mode {self.mode.value!r} needs both 'k' and 'length'")
        if not sum(self.score.values()) > 0:
            raise ModelError("'score' needs at least one part with a weight above 0")


def restarted(before: Policy, after: Policy) -> RestartedState:
    """What of a user's delivery starts anew when one policy follows the other.

    >>> restarted(Policy("ann", Mode.SLIDING, 3, Length(10)), Policy("ann", Mode.SLIDING, 3, Length(20)))
    <RestartedState.WINDOW: 1>
    >>> restarted(Policy("ann", sigma=0.5), Policy("ann"))
    <RestartedState.NOTHING: 0>
    """
    found = RestartedState.NOTHING
    for one in declared(Policy):
        if getattr(before, one.name) != getattr(after, one.name):
            found |= one.about.restarts
    if RestartedState.DECAY in found and after.filter is not None and after.filter.scoring is Scoring.DECAY:
        found |= RestartedState.WINDOW
    return found
