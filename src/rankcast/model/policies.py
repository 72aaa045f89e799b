"""Policies: how many events a user wants, when, and by which criteria (semantics: Preference to Novelty).

Each field is declared once, with its bounds, its help text and the state that a change restarts
(`rankcast.model.declared`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
    Truth,
    Whole,
    Word,
    Worded,
    check_fields,
    declared,
)
from rankcast.model.functions import AGGREGATES, LEVELS
from rankcast.model.values import EPOCH, check_scalar


class Mode(Worded):
    """When the top-k is chosen (semantics: Delivery modes)."""

    ALL = "all", "Everything", "Whatever matches, at once."
    PERIODIC = "periodic", "Periodic", "The best of each period, at its end."
    SLIDING = "sliding", "Sliding", "What enters the best of a sliding window, at once."
    HISTORY = "history", "History", "What betters the best of what you got, at once."


class Unit(Worded):
    """What a length counts: published events, events that match this user, or time."""

    EVENTS = "events", "events", "Events published."
    MATCHED = "matched", "matches", "Events that match the user."
    TIME = "time", "time", "Time."


class Aggregate(Worded):
    """F: combines the scores of the most specific subscriptions into one rank."""

    MAX = "max", "Highest", "The highest of their scores."
    MIN = "min", "Lowest", "The lowest of their scores."
    MEAN = "mean", "Mean", "The mean of their scores."
    WEIGHTED = "weighted", "Weighted mean", "The mean of their scores, by the subscriptions' weights."


class Levels(Worded):
    """G: the score of level l out of n.

    `linear` is (n - l + 1) / n as in the paper, `inverse` is 1 / l and `halving` is 2^(1 - l).
    """

    LINEAR = "linear", "Evenly", "By equal steps from 1 down."
    INVERSE = "inverse", "1, 1/2, 1/3, …", "To one over the level."
    HALVING = "halving", "1, 1/2, 1/4, …", "To half with each level."


class Ties(Worded):
    """Whether an event of equal value replaces one in the history list (semantics: Errata of the papers)."""

    KEEP = "keep", "Keep the older", "An equal event does not replace an older one."
    REPLACE = "replace", "Take the newer", "An equal event replaces an older one."


class Select(Worded):
    """The algorithm that chooses k of n events."""

    GREEDY = "greedy", "Greedily", "One at a time, the best next one."
    EXACT = "exact", "Exactly", "The best set of all."
    IMPROVED = "improved", "Greedily, then by swaps", "One at a time, then by swaps as long as they help."


class ObjectiveName(Worded):
    """What a chosen set maximises together with its ranks: the mean distance of its pairs, or the smallest."""

    DIVRANK = "divrank", "Diverse on average", "The mean distance over all pairs of the set."
    MAX_MIN = "max_min", "No two alike", "The distance of the nearest two of the set."


class DistanceName(Worded):
    """How two values of an attribute are compared (semantics: Diversity).

    `equality` is that of the paper: two attributes are the same or not, so sets of values must be equal as a whole.
    """

    JACCARD = "jaccard", "By shared values", "The share of their values that two events have in common."
    EQUALITY = "equality", "Same or not", "Two events have the same values, or they do not."


class Norm(Worded):
    """The t-norm for `and`; its dual is used for `or` (semantics: Approximate matching)."""

    MIN = "min", "Lowest", "The lowest of the degrees."
    PRODUCT = "product", "Product", "The product of the degrees."
    LUKASIEWICZ = "lukasiewicz", "Lukasiewicz", "What the degrees lack of 1, added up."


class ScorePart(Worded):
    """A criterion of the combined score, in 0..1."""

    PREFERENCE = "preference", "Preference", "what you prefer"
    NOVELTY = "novelty", "Novelty", "what you have not seen of late"
    DEGREE = "degree", "Degree of match", "how well it matches"
    AUTHORITY = "authority", "Source", "who says it"
    RECENCY = "recency", "Recency", "how new it is"


class FilterKind(Worded):
    """The filters (semantics: Novelty).

    They let through the k best of recent events, a random sample that favours rare matches, all events from a fixed
    score on, or a random sample. The meaning is a template over the fields of the filter.
    """

    THRESHOLD = "threshold", "Best share", "the best {rate:.0%} of what matches"
    SAMPLING = "sampling", "Sample, rare first", "about {rate:.0%} of what matches, the rare rather than the frequent"
    MINIMUM = "minimum", "From a score on", "what reaches {minimum:.3g}"
    RANDOM = "random", "By chance", "{rate:.0%} of what matches, by chance"


class Scoring(Worded):
    """What a filter scores.

    It can be novelty by delivery rate, novelty by the distance to the last delivery, novelty that decays with every
    match, or the rank of the event.
    """

    RATE = "rate", "Share of deliveries", "How rarely a subscription was served."
    INTERVAL = "interval", "Time since the last", "How long ago a subscription was served."
    DECAY = "decay", "Decays with every match", "What falls with every match."
    SCORE = "score", "Rank", "The event's rank."


class Decay(Worded):
    """How one matching event lowers a decaying novelty: by subtracting `alpha`, or by multiplying with it."""

    LINEAR = "linear", "By a constant", "Each match subtracts alpha."
    EXPONENTIAL = "exponential", "By a factor", "Each match multiplies by alpha."


class Update(Worded):
    """When a filter updates: once per period, with every event over a window, or so that it spends its budget.

    Only a threshold is paced. Other filters take `PACED` as `EAGER`.
    """

    LAZY = "lazy", "Once per period", "At the end of each period."
    EAGER = "eager", "With every event", "With every matching event, over a window."
    PACED = "paced", "As the budget is spent", "With every matching event, so that the share is spent (threshold)."


class RateSpan(Worded):
    """What rates are counted over: all history (as in the thesis), the period or window, or fading history.

    A sampling filter counts matches, and novelty by rate counts matching events and deliveries.
    """

    HISTORY = "history", "All history", "All that ever matched."
    PERIOD = "period", "The period or window", "The matches of the period or window."
    DECAYED = "decayed", "Fading history", "All that matched; what is older counts less."


class Credit(Worded):
    """Which subscriptions a delivery makes less novel: all that match, or the one that the event was scored by.

    The thesis has both, in section 2.4 and in equation 2.1.
    """

    ALL = "all", "All that match", "Every subscription that the event matches."
    MOST_NOVEL = "most_novel", "The most novel", "Only the subscription that the event was scored by."


_LONGEST = timedelta(days=3_660)
EVENTS = Whole(1, 1_000_000)
TIME = Duration(timedelta(milliseconds=1), _LONGEST)
_SHARE = Real(0, 1)
_WEIGHT = Real(0, 1_000_000)
_AMOUNT = Real(0, 1_000_000, above=True)
_SEED = Whole(-(2**63), 2**63 - 1)


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a period or window, as a number of events or a duration."""

    amount: int | timedelta
    unit: Unit = Unit.EVENTS

    def __post_init__(self) -> None:
        if isinstance(self.amount, timedelta) != (self.unit is Unit.TIME):
            raise ModelError(f"a length in unit {self.unit.value!r} cannot be {self.amount!r}")
        (TIME if self.unit is Unit.TIME else EVENTS).check("length", self.amount)


_LENGTH = Nested(Length)


@dataclass(frozen=True, slots=True)
class Decaying:
    """Novelty that starts at `beta` and falls with every match, by `alpha` or to `alpha` times itself (DBRank'10).

    Only matches in the current `period` or in the last `window` count. If neither is set, all matches count. A
    subscription named in `betas` starts there instead of at `beta`. If `preferred`, each starts at that times its
    preference score.
    """

    form: Annotated[
        Decay, About(Word(Decay), "Whether each match subtracts alpha or multiplies by it.", "How it falls")
    ] = Decay.LINEAR
    beta: Annotated[float, About(_AMOUNT, "The novelty of a subscription before its first match.", "Starts at")] = 1.0
    alpha: Annotated[
        float, About(_AMOUNT, "What each match subtracts, or the factor (below 1) if exponential.", "Falls by")
    ] = 0.001
    period: Annotated[
        Length | None, About(_LENGTH, "Only matches in the current period of this length count.", "Count per period of")
    ] = None
    window: Annotated[
        Length | None,
        About(_LENGTH, "Only matches in the last so many events, or so much time, count.", "Count over the last"),
    ] = None
    betas: Annotated[
        Mapping[str, float],
        About(
            Numbers(Real(0, 1_000_000), most=50_000),
            "Where single subscriptions start instead, by their ids.",
            "Start of single subscriptions",
        ),
    ] = field(default_factory=dict, hash=False)
    preferred: Annotated[
        bool,
        About(
            Truth(),
            "The start is multiplied by the preference score of the subscription.",
            "Start in proportion to preference",
        ),
    ] = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.form is Decay.EXPONENTIAL and self.alpha >= 1:
            raise ModelError(f"alpha is {self.alpha}; a factor of decay must be below 1")
        if self.period is not None and self.window is not None:
            raise ModelError("novelty decays over a period or over a window, not over both")


_AGING = About(_SHARE, "1: only the current period counts. Below 1, earlier ones count too.", "Weight of the present")


@dataclass(frozen=True, slots=True)
class NoveltyPart:
    """The kind of novelty used in the combined score."""

    scoring: Annotated[
        Scoring, About(Word(Scoring), "What the novelty in the rank measures.", "Measure of novelty")
    ] = Scoring.RATE
    aging: Annotated[float, _AGING] = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.scoring is Scoring.SCORE:
            raise ModelError("the novelty in a score cannot be that score; say rate, interval or decay")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter with a budget of `rate` * `period` events.

    The budget applies per period of matching events if the filter is lazy, and to the last `period` matching events
    if it is eager. A paced filter spends `rate` of all matching events, within a fifth of a period's budget.

    `minimum` applies to the filter kind of that name, `exact` to random, `aging` to scoring by rate and by interval.
    `credit` applies to scoring by rate and by interval, `rates` to scoring by rate and to sampling. The `half_life` of
    decayed rates is one period if it is None.
    """

    novelty: Annotated[FilterKind, About(Word(FilterKind), "The kind of filter.", "Novelty filter")]
    rate: Annotated[
        float, About(Real(0, 1, above=True), "The share of matching events that passes.", "Share let through")
    ]
    period: Annotated[
        int, About(EVENTS, "The number of matching events in a period or window of the filter.", "Matches in a period")
    ] = 1000
    scoring: Annotated[Scoring, About(Word(Scoring), "What the filter compares events by.", "The filter compares")] = (
        Scoring.RATE
    )
    update: Annotated[
        Update, About(Word(Update), "When the filter updates what it has learned.", "The filter updates")
    ] = Update.LAZY
    aging: Annotated[float, _AGING] = 1.0
    rates: Annotated[
        RateSpan,
        About(Word(RateSpan), "What rates are counted over (sampling, scoring by rate).", "Rates are counted over"),
    ] = RateSpan.HISTORY
    seed: Annotated[int, About(_SEED, "The seed of random choices.", "Seed")] = 0
    minimum: Annotated[float, About(Real(-1_000_000, 1_000_000), "The least score that passes (minimum).", "From")] = (
        0.5
    )
    credit: Annotated[
        Credit, About(Word(Credit), "Which subscriptions a delivery makes less novel.", "A delivery counts for")
    ] = Credit.ALL
    half_life: Annotated[
        int | None,
        About(EVENTS, "Matching events after which counts are worth half (rates decayed).", "Half-life of counts"),
    ] = None
    exact: Annotated[
        bool,
        About(
            Truth(),
            "Exactly this share of each period passes, and not only on average (random).",
            "Exactly in each period",
        ),
    ] = True

    def __post_init__(self) -> None:
        check_fields(self)
        if self.novelty is not FilterKind.RANDOM and self.rate * self.period < 1 - 1e-9:
            raise ModelError(
                f"rate {self.rate} of a period of {self.period} is less than one event, so nothing would ever pass"
            )


@dataclass(frozen=True, slots=True)
class Policy:
    """How one user is served. A user without a policy gets mode `all`.

    `sigma` weighs rank (1) against diversity (0). With `calm`, a sliding window keeps the set it last chose until a new
    set is worth more by more than `calm`. `weights` and `attributes` define the distance between events:
    weights default to 1, and `attributes` None means that all attributes count. `score` weighs the parts of the rank.
    `authority` is the worth of each source (1 if not named), `half_life` the age at which an event is worth half,
    `novelty` the kind of novelty used, and `decay` how a decaying novelty falls, here and in the filter. Periods of
    time start at `origin`.
    """

    user: Annotated[str, About(NAME, "The user whom the policy serves.")]
    mode: Annotated[Mode, About(Word(Mode), "When the best events are chosen.", "Mode", RestartedState.WINDOW)] = (
        Mode.ALL
    )
    k: Annotated[int | None, About(Whole(1, 1_000), "How many events a choice sends at most.", "At most")] = None
    length: Annotated[
        Length | None,
        About(
            _LENGTH, "Length of the period or window: 100 (events), or 30m, 1h30m, 1d.", "Length", RestartedState.WINDOW
        ),
    ] = None
    sigma: Annotated[
        float,
        About(
            _SHARE, "Weight of rank against diversity: 1 for rank alone, 0 for diversity alone.", "Rank against variety"
        ),
    ] = 1.0
    calm: Annotated[
        float,
        About(
            _SHARE, "How much better a new set must be to replace the last one (sliding).", "Least gain of a new set"
        ),
    ] = 0.0
    aggregate: Annotated[
        Aggregate | str,
        About(
            Word(Aggregate, AGGREGATES),
            "How the scores of several matching subscriptions make one rank.",
            "Rank from several subscriptions",
            topic="Score",
        ),
    ] = Aggregate.MAX
    specific: Annotated[
        bool,
        About(
            Truth(),
            "A subscription does not count if a narrower one matches too.",
            "Only the most specific subscriptions count",
            topic="Score",
        ),
    ] = True
    levels: Annotated[
        Levels | str,
        About(
            Word(Levels, LEVELS),
            "How the score falls from one preference level to the next.",
            "Scores of preference levels",
            topic="Score",
        ),
    ] = Levels.LINEAR
    norm: Annotated[
        Norm,
        About(
            Word(Norm),
            "How the degrees of vague conditions make one degree.",
            "Degree of several conditions",
            topic="Score",
        ),
    ] = Norm.MIN
    ties: Annotated[
        Ties,
        About(Word(Ties), "Whether an equal event replaces one that was sent before (history).", "Of two equal events"),
    ] = Ties.KEEP
    select: Annotated[
        Select, About(Word(Select), "The algorithm that chooses the k best.", "How the set is chosen")
    ] = Select.GREEDY
    objective: Annotated[ObjectiveName, About(Word(ObjectiveName), "What a diverse set is.", "Kind of diversity")] = (
        ObjectiveName.DIVRANK
    )
    distance: Annotated[
        DistanceName,
        About(
            Word(DistanceName),
            "How the values of an attribute are compared for the distance.",
            "How values are compared",
        ),
    ] = DistanceName.JACCARD
    weights: Annotated[
        Mapping[str, float],
        About(
            Numbers(_WEIGHT),
            "Weight of each attribute in the distance; 1 for an attribute that is not listed.",
            "Weights of attributes",
        ),
    ] = field(default_factory=dict, hash=False)
    attributes: Annotated[
        tuple[str, ...] | None,
        About(
            Names(),
            "Attributes that count for the distance; by default all.",
            "Attributes in which events should differ",
        ),
    ] = None
    score: Annotated[
        Mapping[ScorePart, float],
        About(
            Numbers(_WEIGHT, ScorePart),
            "The weights of preference, novelty, degree, authority and recency.",
            "What counts",
            topic="Score",
        ),
    ] = field(default_factory=lambda: {ScorePart.PREFERENCE: 1.0}, hash=False)
    authority: Annotated[
        Mapping[str, float],
        About(
            Numbers(_SHARE),
            "Weight of each source, from 0 to 1; 1 for a source that is not listed.",
            "Worth of sources",
            topic="Score",
        ),
    ] = field(default_factory=dict, hash=False)
    half_life: Annotated[
        timedelta,
        About(
            Duration(timedelta(seconds=1), _LONGEST),
            "The age at which the recency of an event is one half.",
            "Half-life of recency",
            topic="Score",
        ),
    ] = timedelta(days=1)
    filter: Annotated[
        Filter | None,
        About(
            Nested(Filter, "a filter"),
            "The novelty filter before the mode.",
            "Novelty filter",
            RestartedState.WINDOW,
        ),
    ] = None
    novelty: Annotated[
        NoveltyPart,
        About(
            Nested(NoveltyPart, "the novelty of a policy"),
            "Novelty in the score.",
            "Novelty in the rank",
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
            "The time at which the first period of time begins.",
            "Start of the first period",
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
    """The delivery state that restarts when the first policy is replaced by the second.

    >>> restarted(Policy("ann", Mode.SLIDING, 3, Length(10)), Policy("ann", Mode.SLIDING, 3, Length(20)))
    <RestartedState.WINDOW: 1>
    >>> restarted(Policy("ann", sigma=0.5), Policy("ann"))
    <RestartedState.NOTHING: 0>
    """
    before, after = _without_starts(before), _without_starts(after)
    found = RestartedState.NOTHING
    for one in declared(Policy):
        if getattr(before, one.name) != getattr(after, one.name):
            found |= one.about.restarts
    if RestartedState.DECAY in found and after.filter is not None and after.filter.scoring is Scoring.DECAY:
        found |= RestartedState.WINDOW
    return found


def _without_starts(policy: Policy) -> Policy:
    """The policy without what the novelty of single subscriptions starts at, of which the state is independent."""
    return replace(policy, decay=replace(policy.decay, betas={}, preferred=False))
