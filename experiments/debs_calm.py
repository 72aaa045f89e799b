"""Ours: calm windows. How many deliveries a calm window saves, and how much divrank it loses (DEBS'09, 5.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import fmean

from experiments.debs_common import chance, drawn, film_event

from rankcast.choose import DivRank
from rankcast.engine.trace import UserReplay
from rankcast.lab.datasets import FIRST_PUBLICATION, subscriptions
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import Catalog, Event, Length, Mode, Policy

USERS = 2
"""Users of the same workload as in the other figures of the paper; the first ones, not chosen by a result."""
PUBLISHED = 2_000
K, WINDOW = 4, 200
SIGMAS = (0.0, 0.5)
CALMS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True)
class CalmRun:
    """The deliveries of one user, and the mean divrank of the sets that the windows held."""

    sent: int
    divrank: float


def run(report: ExperimentReport, users: int = USERS, published: int = PUBLISHED) -> None:
    """Deliveries and divrank for each sigma and calm, over all users; sigma 1 for comparison."""
    events = _stream(published)
    catalogs = [Catalog(list(mine)) for mine in _subscriptions(users)]
    settings = [(1.0, 0.0), *((sigma, calm) for sigma in SIGMAS for calm in CALMS)]
    found: dict[tuple[float, float], list[CalmRun]] = {}
    for number, (sigma, calm) in enumerate(settings, 1):
        found[sigma, calm] = [_served(catalog, events, sigma, calm) for catalog in catalogs]
        report.progress(number / len(settings))
    sent = {setting: fmean(one.sent for one in runs) for setting, runs in found.items()}
    worth = {setting: fmean(one.divrank for one in runs) for setting, runs in found.items()}
    rows = [(*setting, round(sent[setting], 1), round(worth[setting], 4)) for setting in settings]
    report.table("debs_calm", ("sigma", "calm", "deliveries per user", "mean divrank of the window's set"), rows)
    for sigma in SIGMAS:
        plain = (sigma, 0.0)
        for calm in CALMS[1:]:
            lost = worth[plain] - worth[sigma, calm]
            report.ours(
                f"sigma {sigma:g}, calm {calm:g}: deliveries per user, and divrank lost",
                f"{sent[sigma, calm]:.0f} deliveries, {lost:.4f} lost ({lost / worth[plain]:.1%})",
                f"{sent[plain]:.0f} deliveries, divrank {worth[plain]:.3f}",
            )
    report.remark(
        f"Sliding windows of {WINDOW} events, k {K}, greedy choice, {users} users of the film workload, {published:,} "
        f"films; with sigma 1 the users get {sent[1.0, 0.0]:.0f} events each. A negative loss is possible: the greedy "
        f"choice is not the best set, and a calm window keeps a set that is better than a new greedy one."
    )
    report.figure("debs_calm", _picture(sent, worth))


def _stream(published: int) -> list[Event]:
    numbers = sorted(drawn(published, "published"), key=lambda number: chance(f"order/{number}"))
    return [
        replace(film_event(number), time=FIRST_PUBLICATION + timedelta(seconds=seq), seq=seq)
        for seq, number in enumerate(numbers, 1)
    ]


def _subscriptions(users: int) -> list[Sequence]:
    made = subscriptions(users, 30, seed=9, skew=0.4)
    return [[one for one in made if one.user == user] for user in sorted({one.user for one in made})]


def _served(catalog: Catalog, events: Sequence[Event], sigma: float, calm: float) -> CalmRun:
    (user,) = catalog.users()
    catalog = catalog.alone(user, Policy(user, Mode.SLIDING, K, Length(WINDOW), sigma, calm=calm))
    objective, replay = DivRank(sigma), UserReplay(catalog, user)
    sent, values = 0, []
    last, value = (), 0.0
    for event in events:
        for step in replay.publish(event).steps:
            sent += len(step.sent)
            held = tuple(one.seq for one in step.chosen)
            if held != last:
                last, value = held, objective.value(step.chosen)
            values.append(value)
    return CalmRun(sent, fmean(values))


def _picture(sent: dict, worth: dict):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.2))
    axes = figure.add_subplot()
    for sigma, colour, below in zip(SIGMAS, ("C0", "C1"), (-10, 5), strict=True):
        lost = [worth[sigma, 0.0] - worth[sigma, calm] for calm in CALMS]
        counts = [sent[sigma, calm] for calm in CALMS]
        axes.plot(lost, counts, "-o", color=colour, markersize=4, label=f"sigma {sigma:g}")
        for calm, x, y in zip(CALMS, lost, counts, strict=True):
            axes.annotate(f"{calm:g}", (x, y), textcoords="offset points", xytext=(3, below), fontsize=7, color=colour)
    axes.axhline(sent[1.0, 0.0], color="black", linewidth=1, label="sigma 1, not calm")
    axes.set_xlabel("mean divrank lost")
    axes.set_yscale("log")  # the paper's form sends ten times as much as the others
    axes.set_ylabel("deliveries per user")
    axes.set_title(f"Calm windows: deliveries against divrank lost (w {WINDOW}, k {K}; numbers: calm)")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    return figure


EXPERIMENT = Experiment("debs_calm", "Calm windows", "DEBS'09, calm windows", run)
