"""Shared by the DEBS'09 experiments (section 7): films as events, the users, the four scenarios, and the runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from hashlib import blake2b
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from rankcast.choose import Candidate, Distance, DivRank
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.lab.datasets import FIRST_PUBLICATION, subscriptions
from rankcast.lab.datasets.movies import read_films
from rankcast.lab.reproduce import ExperimentReport, Paper
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import Catalog, Event, Length, Mode, Policy, Subscription, Ties

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SOURCE = "DEBS'09"
PAPER = Paper(
    SOURCE,
    "Preference-aware delivery with diversity (Drosou, Stefanidis, Pitoura, DEBS 2009)",
    agrees="The diversity of Table 1, found in milliseconds where the paper needed hours; but films drawn "
    "by chance agree within 10 % with 18 of its 22 numbers, too. Table 2, to the node, but for "
    "a slip of the paper in its last row. What the paper says of the number and the ranks of events in the periodic mode "
    "holds too, but by the definition of the mode, so it counts for nothing.",
    differs="Statements about every scenario and k fail for some users or cells: which scenario prunes best and worst "
    "depends on how often a user's ranks tie, and on whether an event that ties with the worst of the top-k replaces "
    "it. With diversity the best set of a sliding window changes often, so far more events are sent than slightly "
    "more. The freshness of the history mode is computing time in the paper; ours is the wait in events.",
    unknown=(
        "Which user the figures show. We run the first ten users of our workload, whoever they are; a rule runs over all cells of "
        "all of them.",
        "The exponents of the Zipf distributions and the number of subscriptions per user. We use 1 and 30.",
        "What happens to ties: Definition 14 has >=, Algorithm 2 has >. We use >, and show the other beside it.",
        "Which films were drawn for Table 1; a cell is one draw in the paper and the mean of twenty in ours.",
        "The values of Figures 10 to 15, of which our copy has the text alone.",
    ),
)
USERS = tuple(f"u{number:05}" for number in range(1, 11))
"""The users of Figures 10 to 15: the first ten of the workload. Nothing about them was looked at before."""
SUBSCRIPTIONS, SKEW = 30, 1.0
MATCHING, PUBLISHED = 930, 2_000
K_PER_PERIOD = "so says the paper; by its definition the mode sends k events per period, so no rule goes by it"
KS = (4, 8, 12, 16, 20)
LENGTHS = (200, 400)
MODES = (Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY)
SCENARIOS = ("Best-First", "Best-Last", "Burst", "Random")
BURSTS = 5
COLOURS = {"Best-First": "C0", "Best-Last": "C3", "Burst": "C1", "Random": "C2"}
TITLES = {Mode.PERIODIC: "periodic", Mode.SLIDING: "sliding window", Mode.HISTORY: "history"}


def film_event(number: int) -> Event:
    """A film with the six attributes of the paper's events.

    Every event has all six, so a blank MPAA rating is a value like any other (dummy attributes, section 4.1).
    """
    film = _films()[number]
    attributes = {
        "title": (film["title"],),
        "year": (film["year"],),
        "length": (film["length"],),
        "rating": (film["rating"],),
        "mpaa": (film.get("mpaa", ""),),
        "genre": tuple(film.get("genre", [""])),
    }
    return Event(f"m{number:05}", FIRST_PUBLICATION, attributes)


@cache
def _films() -> list[dict]:
    return read_films()


def drawn(count: int, seed: object, numbers: Iterable[int] | None = None) -> list[int]:
    """`count` films, drawn by hash."""
    numbers = range(len(_films())) if numbers is None else numbers
    return sorted(numbers, key=lambda number: chance(f"{seed}/{number}"))[:count]


def chance(text: str) -> float:
    """A number in 0..1 that depends only on the text."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) / 2**64


@cache
def _workload() -> dict[str, tuple[Subscription, ...]]:
    drawn_for_all = subscriptions(len(USERS), SUBSCRIPTIONS, skew=SKEW)
    return {user: tuple(one for one in drawn_for_all if one.user == user) for user in USERS}


@cache
def ranked_films(user: str) -> tuple[tuple[Event, float | None], ...]:
    """2,000 films with their ranks, None if a film does not match; 930 of them match the user."""
    mine = _workload()[user]
    ranker = Subscriber(user, Catalog(list(mine)))
    matching: list[tuple[Event, float | None]] = []
    others: list[tuple[Event, float | None]] = []
    for number in drawn(len(_films()), f"published to {user}"):
        event = film_event(number)
        matched = [(one, 1.0) for one in mine if matches(one.where, event, NO_CONCEPTS)]
        if matched and len(matching) < MATCHING:
            matching.append((event, ranker.candidate(event, matched).rank))
        elif not matched:
            others.append((event, None))
        if len(matching) == MATCHING and len(others) >= PUBLISHED - MATCHING:
            return (*matching, *others[: PUBLISHED - MATCHING])
    raise ValueError(f"user {user}: only {len(matching)} films match and {len(others)} do not")


@cache
def stream(scenario: str, user: str) -> tuple[Event, ...]:
    """The same 2,000 films in the order of a scenario, one per second; the positions of the matches are the same."""
    films = sorted(ranked_films(user), key=lambda film: chance(f"order/{film[0].id}"))
    matching = [film for film in films if film[1] is not None]
    by_rank = sorted(matching, key=lambda film: -film[1])
    match scenario:
        case "Best-First":
            matching = by_rank
        case "Best-Last":
            matching = by_rank[::-1]
        case "Burst":
            matching = _bursts(matching, by_rank)
    placed = iter(matching)
    ordered = [film if film[1] is None else next(placed) for film in films]
    return tuple(
        replace(event, time=FIRST_PUBLICATION + timedelta(seconds=seq), seq=seq)
        for seq, (event, _) in enumerate(ordered, 1)
    )


def _bursts(matching: list, by_rank: list) -> list:
    """The best fifth in five bursts at equal distances; the others stay in their order between them."""
    best = by_rank[: len(by_rank) // 5]
    inside = {event.id for event, _ in best}
    rest = [film for film in matching if film[0].id not in inside]
    best = [film for film in matching if film[0].id in inside]
    calm, burst = -(-len(rest) // BURSTS), -(-len(best) // BURSTS)
    ordered = []
    for number in range(BURSTS):
        ordered += rest[calm * number : calm * (number + 1)]
        ordered += best[burst * number : burst * (number + 1)]
    return ordered


@cache
def mean_rank_of_all(user: str) -> float:
    """The mean rank of all matching events."""
    return fmean(rank for _, rank in ranked_films(user) if rank is not None)


@dataclass(frozen=True, slots=True)
class Setting:
    """One user's policy in the experiments."""

    mode: Mode
    length: int
    k: int
    sigma: float
    ties: Ties = Ties.KEEP

    @property
    def user(self) -> str:
        """A name for the user who has it."""
        return f"{self.mode.value}-{self.length}-{self.k}-{self.sigma}-{self.ties.value}"


def settings(sigmas: Sequence[float], modes: Sequence[Mode] = MODES, ties: Ties = Ties.KEEP) -> tuple[Setting, ...]:
    """All settings of a figure."""
    return tuple(
        Setting(mode, length, k, sigma, ties) for mode in modes for length in LENGTHS for k in KS for sigma in sigmas
    )


class Sent(NamedTuple):
    """A delivery, reduced to what the figures need."""

    seq: int
    rank: float
    window: int
    wait: float


@cache
def deliveries(scenario: str, user: str, varied: tuple[Setting, ...]) -> dict[Setting, tuple[Sent, ...]]:
    """The deliveries under each setting; each setting is a separate user with the same subscriptions."""
    by_user = {setting.user: setting for setting in varied}
    catalog = Catalog()
    for setting in by_user.values():
        for one in _workload()[user]:
            catalog.add(replace(one, id=f"{setting.user}/{one.id}", user=setting.user))
        catalog.add(
            Policy(
                setting.user,
                mode=setting.mode,
                k=setting.k,
                length=Length(setting.length),
                sigma=setting.sigma,
                ties=setting.ties,
            )
        )
    shard = BatchShard(catalog)
    found: dict[Setting, list[Sent]] = {setting: [] for setting in by_user.values()}
    for one in shard.publish(stream(scenario, user)) + shard.close():
        found[by_user[one.user]].append(Sent(one.seq, one.rank, one.window, one.freshness.total_seconds()))
    return {setting: tuple(sent) for setting, sent in found.items()}


Cell = tuple[Mode, str, int, int]
"""A point of a figure: mode, scenario, length, k."""
Values = dict[Cell, float]


def measured(
    report: ExperimentReport,
    sigma: float,
    measure: Callable[[Sequence[Sent]], float],
    users: Sequence[str],
    modes: Sequence[Mode] = MODES,
    ties: Ties = Ties.KEEP,
) -> dict[str, Values]:
    """A measure of the deliveries of each user, for every mode, scenario, length and k."""
    varied = settings((sigma,), modes, ties)
    found: dict[str, Values] = {}
    for number, user in enumerate(users, 1):
        found[user] = {
            (setting.mode, scenario, setting.length, setting.k): measure(sent)
            for scenario in SCENARIOS
            for setting, sent in deliveries(scenario, user, varied).items()
        }
        report.progress(0.9 * number / len(users))
    return found


def cells_of(mode: Mode) -> list[Cell]:
    """All points of the panel of a mode."""
    return [(mode, scenario, length, k) for scenario in SCENARIOS for length in LENGTHS for k in KS]


def by_length(found: Mapping[str, Values], mode: Mode) -> list[list[list[float]]]:
    """For each user, scenario and k of a mode: the value of the shorter length, and that of the longer one."""
    return [
        [[values[mode, scenario, length, k]] for length in LENGTHS]
        for values in found.values()
        for scenario in SCENARIOS
        for k in KS
    ]


def lines_over_k(values: Values, mode: Mode) -> list[list[float]]:
    """The lines of a panel: for each scenario and length the values against k."""
    return [[values[mode, scenario, length, k] for k in KS] for scenario in SCENARIOS for length in LENGTHS]


def tabulate(report: ExperimentReport, name: str, column: str, found: Mapping[str, Values], digits: int = 4) -> None:
    """Save the values of all users as a table, and the means over users as a picture."""
    rows = [
        (user, mode.value, *key, round(value, digits))
        for user, values in found.items()
        for (mode, *key), value in values.items()
    ]
    report.table(name, ("user", "mode", "scenario", "length", "k", column), rows)


def means(found: Mapping[str, Values]) -> Values:
    """The mean over users of each cell."""
    first = next(iter(found.values()))
    return {cell: fmean(values[cell] for values in found.values()) for cell in first}


def diversity(events: Sequence[Event], distance: Distance) -> float:
    """Set diversity: the mean distance over all pairs; `distance` remembers pairs."""
    return DivRank(0.0, distance).div([Candidate(event, 1.0) for event in events])


def panel(axes: "Axes", mode: Mode, label: str) -> None:
    """Name the axes of a panel over k."""
    axes.set(title=TITLES[mode], xlabel="k")
    axes.set_xticks(KS)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)


def draw_lines(axes: "Axes", mode: Mode, values: dict[tuple[str, int, int], float], label: str) -> None:
    """Draw one panel: a line per scenario over k, solid for 200 and dashed for 400 events.

    `values` are by scenario, length and k.
    """
    for scenario in SCENARIOS:
        for length, style in zip(LENGTHS, ("-", "--"), strict=True):
            line = [values[scenario, length, k] for k in KS]
            axes.plot(KS, line, style, color=COLOURS[scenario], marker="o", markersize=3, label=f"{scenario}, {length}")
    panel(axes, mode, label)


def panels(values: dict[tuple[Mode, str, int, int], float], label: str, title: str, line: float | None = None):
    """A figure with one panel per mode; `line` is the level of all matching events, for comparison."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2))
    for number, mode in enumerate(MODES, 1):
        axes = figure.add_subplot(1, 3, number)
        draw_lines(axes, mode, {key[1:]: value for key, value in values.items() if key[0] is mode}, label)
        if line is not None:
            axes.axhline(line, color="black", linewidth=1, label="all matching")
    return finished(figure, title, 4 if line is None else 5, -0.1)


def finished(figure: "Figure", title: str, columns: int, below: float) -> "Figure":
    """The figure with a title, and one legend for all panels below them."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, below)}
    figure.legend(handles, labels, ncol=columns, fontsize=8, frameon=False, **place)
    figure.suptitle(title)
    figure.tight_layout()
    return figure
