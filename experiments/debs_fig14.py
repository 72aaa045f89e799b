"""DEBS'09 Figure 14: the diversity of the events delivered in each period or window, Random scenario."""

from collections import defaultdict
from statistics import fmean

from experiments.debs_common import (
    KS,
    LENGTHS,
    MODES,
    PUBLISHED,
    TITLES,
    Setting,
    deliveries,
    diversity,
    ranked_films,
    settings,
    stream,
)

from rankcast.choose import Candidate, Distance, DivRank, select
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import Delivery, Mode

SIGMAS = (1.0, 0.5, 0.0)


def run(report: ExperimentReport) -> None:
    """Mean diversity for every mode, length, k and sigma."""
    found = deliveries("Random", settings(SIGMAS))
    means, sent_means = {}, {}
    distance = Distance(limit=2**20)
    for number, (setting, sent) in enumerate(found.items(), 1):
        means[setting] = sent_means[setting] = _mean_diversity(setting, sent)
        if setting.mode is Mode.SLIDING:
            means[setting] = _top_k_diversity(setting, distance)
        report.progress(number / len(found))
    rows = [
        (s.mode.value, s.length, s.k, s.sigma, round(mean, 4), round(sent_means[s], 4)) for s, mean in means.items()
    ]
    report.table("debs_fig14", ("mode", "length", "k", "sigma", "mean diversity", "of all sent in a window"), rows)
    report.remark(
        "For the sliding mode, diversity is that of the top-k of a window. For all events sent while a window "
        "passes (last column) the effect is less clear: with sigma 0 the best pair changes often, so more than k "
        "events are sent, and no single selection chose them together."
    )
    for mode in MODES:
        levels = [fmean(mean for s, mean in means.items() if s.mode is mode and s.sigma == sigma) for sigma in SIGMAS]
        report.compare(
            f"{mode.value}: diversity rises as sigma falls 1, 0.5, 0",
            "rises",
            " → ".join(f"{level:.3f}" for level in levels),
            levels[0] < levels[1] <= levels[2],
        )
        gains = [
            fmean(means[Setting(mode, length, k, 0.0)] - means[Setting(mode, length, k, 1.0)] for length in LENGTHS)
            for k in (KS[0], KS[-1])
        ]
        report.compare(
            f"{mode.value}: the rise is larger for small k",
            "larger",
            f"{gains[0]:.3f} at k 4, {gains[1]:.3f} at k 20",
            gains[0] > gains[1],
        )
    report.figure("debs_fig14", _picture(means))


def _mean_diversity(setting: Setting, sent: list[Delivery]) -> float:
    """The mean diversity of the sets sent in each period, or in each disjoint window of `length` events."""
    events = stream("Random")
    sets = defaultdict(list)
    for delivery in sent:
        sent_at = delivery.window if setting.mode is Mode.PERIODIC else (delivery.window - 1) // setting.length
        sets[sent_at].append(events[delivery.seq - 1])
    return fmean(diversity(together) for together in sets.values() if len(together) > 1)


def _top_k_diversity(setting: Setting, distance: Distance) -> float:
    """The mean diversity of the window's top-k at every hundredth event."""
    rank_of = {event.id: rank for event, rank in ranked_films()}
    objective = DivRank(setting.sigma, distance)
    found = []
    for end in range(setting.length, PUBLISHED + 1, 100):
        window = stream("Random")[end - setting.length : end]
        candidates = [Candidate(event, rank_of[event.id]) for event in window if rank_of[event.id] is not None]
        found.append(objective.div(select(candidates, setting.k, objective).chosen))
    return fmean(found)


def _picture(means: dict):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2))
    for number, mode in enumerate(MODES, 1):
        axes = figure.add_subplot(1, 3, number)
        for sigma, colour in zip(SIGMAS, ("C0", "C1", "C2"), strict=True):
            for length, style in zip(LENGTHS, ("-", "--"), strict=True):
                line = [means[Setting(mode, length, k, sigma)] for k in KS]
                axes.plot(KS, line, style, color=colour, marker="o", markersize=3, label=f"sigma {sigma:g}, {length}")
        axes.set_title(TITLES[mode])
        axes.set_xlabel("k")
        axes.set_xticks(KS)
        axes.set_ylabel("mean diversity")
        axes.grid(alpha=0.3)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=6, fontsize=8, frameon=False, bbox_to_anchor=(0.5, -0.06))
    figure.suptitle("Figure 14: diversity of what is delivered per period or window, Random scenario")
    figure.tight_layout()
    return figure


EXPERIMENT = Experiment("debs_fig14", "Diversity of delivered events", "DEBS'09, Figure 14", run)
