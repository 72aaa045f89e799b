"""DEBS'09 Figure 14: the diversity of the events delivered in each period or window, Random scenario."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean

from experiments import debs_common as debs
from rankcast.choose import Distance
from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import Mode

SIGMAS = (1.0, 0.5, 0.0)

HIGHER = Rule(
    "with sigma 0.5 and with sigma 0 the mean diversity is above that of sigma 1",
    lambda by_sigma: all(by_sigma[sigma][cell] > by_sigma[1.0][cell] for sigma in (0.5, 0.0) for cell in by_sigma[1.0]),
    example=({1.0: {4: 0.6}, 0.5: {4: 0.8}, 0.0: {4: 0.9}},),
    contradiction=({1.0: {4: 0.6}, 0.5: {4: 0.6}, 0.0: {4: 0.9}},),
)
LARGER_FOR_SMALL_K = Rule(
    "the increase over sigma 1 is larger at k 4 than at k 20 (a cell is a line of the figure for a user)",
    lambda increases: all(at_four > at_twenty for at_four, at_twenty in increases),
    example=([(0.3, 0.1), (0.2, 0.1)],),
    contradiction=([(0.3, 0.1), (0.1, 0.1)],),
)


def run(report: ExperimentReport, users: Sequence[str] = debs.USERS) -> None:
    """Mean diversity of the delivered events for every user, mode, length, k and sigma."""
    means: dict[str, dict[debs.Setting, float]] = {}
    for number, user in enumerate(users, 1):
        sent = {
            setting: one
            for sigma in SIGMAS
            for setting, one in debs.deliveries("Random", user, debs.settings((sigma,))).items()
        }
        means[user] = {setting: mean_diversity(setting, one, user) for setting, one in sent.items()}
        report.progress(number / len(users))
    rows = [
        (user, s.mode.value, s.length, s.k, s.sigma, round(mean, 4))
        for user, of in means.items()
        for s, mean in of.items()
    ]
    report.table("debs_fig14", ("user", "mode", "length", "k", "sigma", "mean diversity"), rows)
    for mode in debs.MODES:
        levels = [
            fmean(mean for of in means.values() for s, mean in of.items() if s.mode is mode and s.sigma == sigma)
            for sigma in SIGMAS
        ]
        report.shape(
            HIGHER,
            [
                ({sigma: {k: of[debs.Setting(mode, length, k, sigma)]} for sigma in SIGMAS},)
                for of in means.values()
                for length in debs.LENGTHS
                for k in debs.KS
            ],
            "cells",
            "a higher diversity when chosen based also on their distance",
            " → ".join(f"{level:.3f}" for level in levels) + " for sigma 1, 0.5, 0",
            SLIDES if mode is Mode.SLIDING else "",
            of=mode.value,
        )
        report.shape(
            LARGER_FOR_SMALL_K,
            [([pair],) for of in means.values() for pair in _increases(of, mode)],
            "cells",
            "this increase is larger for smaller values of k",
            of=mode.value,
        )
    overall = {s: fmean(of[s] for of in means.values()) for s in next(iter(means.values()))}
    report.figure("debs_fig14", _picture(overall))


def mean_diversity(setting: debs.Setting, sent: Sequence[debs.Sent], user: str) -> float:
    """The mean diversity of the events delivered in each period, or in each disjoint window of `length` events."""
    events, distance = debs.stream("Random", user), _distance(user)
    sets = defaultdict(list)
    for one in sent:
        place = one.window if setting.mode is Mode.PERIODIC else (one.window - 1) // setting.length
        sets[place].append(events[one.seq - 1])
    return fmean(debs.diversity(together, distance) for together in sets.values() if len(together) > 1)


@lru_cache(1)
def _distance(user: str) -> Distance:
    """The distance, with the pairs of one user's films."""
    return Distance(limit=2**20)


def _increases(of: dict[debs.Setting, float], mode: Mode) -> list[tuple[float, ...]]:
    return [
        tuple(
            of[debs.Setting(mode, length, k, sigma)] - of[debs.Setting(mode, length, k, 1.0)]
            for k in (debs.KS[0], debs.KS[-1])
        )
        for length in debs.LENGTHS
        for sigma in (0.5, 0.0)
    ]


SLIDES = "while a window passes, more than k events are sent, and no single selection chose them together"


def _picture(means: dict):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2))
    for number, mode in enumerate(debs.MODES, 1):
        axes = figure.add_subplot(1, 3, number)
        for sigma, colour in zip(SIGMAS, ("C0", "C1", "C2"), strict=True):
            for length, style in zip(debs.LENGTHS, ("-", "--"), strict=True):
                line = [means[debs.Setting(mode, length, k, sigma)] for k in debs.KS]
                axes.plot(
                    debs.KS, line, style, color=colour, marker="o", markersize=3, label=f"sigma {sigma:g}, {length}"
                )
        debs.panel(axes, mode, "mean diversity")
    title = "Figure 14: diversity of the events delivered per period or window, Random scenario, mean over users"
    return debs.finished(figure, title, 6, -0.06)


EXPERIMENT = Experiment("debs_fig14", "Diversity of delivered events", f"{debs.SOURCE}, Figure 14", run)
