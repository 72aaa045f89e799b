"""Thesis Figure 4.14: popularity and activity of the agencies."""

import numpy as np
from experiments.novelty_common import SOURCE
from experiments.novelty_news import PERIOD, agencies

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

VARIES = Rule(
    "an agency's posts per period deviate at least 1.5 times as much as by chance",
    lambda deviation, by_chance: deviation >= 1.5 * by_chance,
    example=(30.0, 10.0),
    contradiction=(12.0, 10.0),
)


def run(report: ExperimentReport) -> None:
    """Shares of the ten agencies, in total and by period."""
    from matplotlib.figure import Figure

    names, stream = agencies()
    shares = stream.share_of_each
    periods = len(stream.places) // PERIOD
    parts = [stream.places[number * PERIOD : (number + 1) * PERIOD] for number in range(periods)]
    activity = np.array([np.bincount(part, minlength=len(names)) for part in parts])
    report.table(
        "fig4_14_popularity", ("agency", "share"), [(n, round(float(s), 5)) for n, s in zip(names, shares, strict=True)]
    )
    report.table(
        "fig4_14_activity", ("period", *names), [(number, *row) for number, row in enumerate(activity.tolist(), 1)]
    )
    figure = Figure(figsize=(11, 4), layout="constrained")
    figure.suptitle("Figure 4.14: posts of ten agencies, 2014-12-30 to 2015-03-14")
    left, right = figure.subplots(1, 2)
    left.bar(names, 100 * shares)
    left.tick_params(axis="x", labelrotation=60)
    left.set_ylabel("share of the posts, per cent")
    for name, line in zip(names, activity.T, strict=True):
        right.plot(range(1, periods + 1), line, lw=1.2, label=name)
    right.set(xlabel=f"periods of {PERIOD} events", ylabel="posts in the period")
    right.set_ylim(0, 1.45 * activity.max())
    right.legend(fontsize=7, ncols=3)
    report.figure("fig4_14", figure)
    slope = np.polyfit(np.log(np.arange(1, len(names) + 1)), np.log(shares), 1)[0]
    report.ours(
        "popularity: slope of log share on log rank",
        f"{slope:.2f}",
        note="the thesis calls its popularity zipf-like, which is a slope near -1; its posts are others",
    )
    by_chance = np.sqrt(PERIOD * shares * (1 - shares))
    spread = activity.std(axis=0)
    report.shape(
        VARIES,
        list(zip(spread.tolist(), by_chance.tolist(), strict=True)),
        "cells",
        "some news agencies are in some periods highly productive, whereas in others are not",
        f"deviation between periods {', '.join(f'{one / other:.1f}' for one, other in zip(spread, by_chance, strict=True))} "
        "times that of chance, by agency",
    )
    report.remark(
        "The posts of the thesis (17,362 of ten agencies, early 2011) were not published, so these are different ones."
    )


EXPERIMENT = Experiment("thesis_fig4_14", "The news: popularity and activity", f"{SOURCE}, Figure 4.14", run)
