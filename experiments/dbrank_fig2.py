"""DBRank'10 Figure 2: the novelty of seven subscriptions as events are published."""

from hashlib import blake2b
from typing import NamedTuple

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import Decaying
from rankcast.rank import DecayingNovelty

COVERED_BY = {"s1": (), "s2": (), "s3": ("s1",), "s4": ("s1",), "s5": ("s2",), "s6": ("s2",), "s7": ("s2",)}
EVENTS = 1000


class Seen(NamedTuple):
    """An event that matches a subscription and all that cover it."""

    matching: tuple[str, ...]
    specific: tuple[str, ...]
    event: object = None


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Each event has one of the seven as its most specific subscription, all equally likely; alpha = 0.001 beta."""
    from matplotlib.figure import Figure

    novelty = DecayingNovelty(Decaying(beta=1.0, alpha=0.001))
    names = list(COVERED_BY)
    rows = [(0, *(1.0 for _ in names))]
    for number in range(1, events + 1):
        drawn = names[int.from_bytes(blake2b(f"fig2 {number}".encode(), digest_size=8).digest()) % len(names)]
        novelty.score(Seen((drawn, *COVERED_BY[drawn]), (drawn,)))
        rows.append((number, *(novelty.novelty(name) for name in names)))
    report.progress(0.8)
    report.table("fig2", ("event", *names), rows)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for place, name in enumerate(names, 1):
        axes.plot([row[0] for row in rows], [row[place] for row in rows], label=name, lw=2 if place < 3 else 1.2)
    axes.set_xlabel("events published")
    axes.set_ylabel("novelty, as a share of beta")
    axes.set_title("DBRank Figure 2: s1 covers s3, s4; s2 covers s5, s6, s7")
    axes.legend(ncols=2)
    axes.grid(alpha=0.3)
    report.figure("fig2", figure)
    last = dict(zip(names, rows[-1][1:], strict=True))
    general, special = max(last["s1"], last["s2"]), min(last[name] for name in names[2:])
    report.compare(
        "more general subscriptions fall faster",
        "s1, s2 below all others",
        f"{last['s1']:.3f}, {last['s2']:.3f} against {special:.3f} and more",
        general < special,
    )
    report.compare(
        "subscriptions that cover more fall faster",
        "s2 below s1",
        f"{last['s2']:.3f} and {last['s1']:.3f}",
        last["s2"] < last["s1"],
    )
    expected = 1 - 0.001 * events * 4 / 7
    report.remark(
        f"Expected value for s2 if all seven are equally likely: 1 - 0.001 * {events} * 4/7 = {expected:.3f}. "
        "The paper prints no values."
    )


EXPERIMENT = Experiment("dbrank_fig2", "Decaying novelty", "DBRank 2010, Figure 2", run)
