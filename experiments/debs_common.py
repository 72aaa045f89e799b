"""Shared by the DEBS'09 experiments (section 7): films as events, the user, the four scenarios, and the runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from hashlib import blake2b
from statistics import fmean
from typing import TYPE_CHECKING

from rankcast.choose import Candidate, Distance, DivRank
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.lab.datasets import FIRST_PUBLICATION, subscriptions
from rankcast.lab.datasets.movies import read_films
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import Catalog, Delivery, Event, Length, Mode, Policy, Subscription, Ties

if TYPE_CHECKING:
    from matplotlib.axes import Axes

USER = "u00026"
"""The user of all these experiments: the third user tried, so not a random one. The remark in `debs_fig10.py` says so."""
MATCHING, PUBLISHED = 930, 2_000
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
def user_subscriptions() -> tuple[Subscription, ...]:
    """The subscriptions of the one user: 30 from the Zipf workload.

    This user was selected from about a hundred because the mean rank of its matching films is the paper's, 0.46.
    """
    return tuple(one for one in subscriptions(26, 30, seed=9, skew=0.4) if one.user == USER)


@cache
def ranked_films() -> tuple[tuple[Event, float | None], ...]:
    """2,000 films with their ranks, None if a film does not match; 930 of them match the user."""
    mine = user_subscriptions()
    ranker = Subscriber(USER, Catalog(list(mine)))
    matching: list[tuple[Event, float | None]] = []
    others: list[tuple[Event, float | None]] = []
    for number in drawn(8_000, "published"):
        event = film_event(number)
        matched = [(one, 1.0) for one in mine if matches(one.where, event, NO_CONCEPTS)]
        if matched:
            matching.append((event, ranker.candidate(event, matched).rank))
        else:
            others.append((event, None))
        if len(matching) >= MATCHING and len(others) >= PUBLISHED - MATCHING:
            break
    return (*matching[:MATCHING], *others[: PUBLISHED - MATCHING])


@cache
def stream(scenario: str) -> tuple[Event, ...]:
    """The same 2,000 films in the order of a scenario, one per second; the positions of the matches are the same."""
    films = sorted(ranked_films(), key=lambda film: chance(f"order/{film[0].id}"))
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


def mean_rank_of_all() -> float:
    """The mean rank of all matching events."""
    return fmean(rank for _, rank in ranked_films() if rank is not None)


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


def settings(sigmas: Sequence[float], modes: Sequence[Mode] = MODES, ties: Ties = Ties.KEEP) -> list[Setting]:
    """All settings of a figure."""
    return [
        Setting(mode, length, k, sigma, ties) for mode in modes for length in LENGTHS for k in KS for sigma in sigmas
    ]


def deliveries(scenario: str, varied: Iterable[Setting]) -> dict[Setting, list[Delivery]]:
    """The deliveries under each setting; each setting is a separate user with the same subscriptions."""
    by_user = {setting.user: setting for setting in varied}
    catalog = Catalog()
    for setting in by_user.values():
        for one in user_subscriptions():
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
    found: dict[Setting, list[Delivery]] = {setting: [] for setting in by_user.values()}
    for delivery in shard.publish(stream(scenario)) + shard.close():
        found[by_user[delivery.user]].append(delivery)
    return found


def diversity(events: Sequence[Event]) -> float:
    """Set diversity: the mean distance over all pairs."""
    return DivRank(0.0, Distance()).div([Candidate(event, 1.0) for event in events])


def draw_lines(axes: "Axes", mode: Mode, values: dict[tuple[str, int, int], float], label: str) -> None:
    """Draw one panel: a line per scenario over k, solid for 200 and dashed for 400 events.

    `values` are by scenario, length and k.
    """
    for scenario in SCENARIOS:
        for length, style in zip(LENGTHS, ("-", "--"), strict=True):
            line = [values[scenario, length, k] for k in KS]
            axes.plot(KS, line, style, color=COLOURS[scenario], marker="o", markersize=3, label=f"{scenario}, {length}")
    axes.set_title(TITLES[mode])
    axes.set_xlabel("k")
    axes.set_xticks(KS)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)


def panels(values: dict[tuple[Mode, str, int, int], float], label: str, title: str, line: float | None = None):
    """A figure with one panel per mode; `line` is the level of all matching events, for comparison."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2))
    for number, mode in enumerate(MODES, 1):
        axes = figure.add_subplot(1, 3, number)
        draw_lines(axes, mode, {key[1:]: value for key, value in values.items() if key[0] is mode}, label)
        if line is not None:
            axes.axhline(line, color="black", linewidth=1, label="all matching")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="lower center",
        ncol=4 if line is None else 5,
        fontsize=8,
        frameon=False,
        bbox_to_anchor=(0.5, -0.1),
    )
    figure.suptitle(title)
    figure.tight_layout()
    return figure
