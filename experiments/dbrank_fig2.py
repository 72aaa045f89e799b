"""DBRank'10 Figure 2: the novelty of seven subscriptions as events are published."""

from hashlib import blake2b
from typing import NamedTuple

from rankcast.lab.reproduce import Experiment, ExperimentReport, Paper, Rule
from rankcast.model import Decaying
from rankcast.rank import DecayingNovelty

SOURCE = "DBRank 2010"
PAPER = Paper(
    SOURCE,
    "On novelty in publish/subscribe delivery (Souravlias and others, DBRank 2010)",
    agrees="Both statements about its one figure. They follow from counting matches, so they say little.",
    differs="The paper prints no number with which ours could disagree.",
    unknown=("Which of the seven is the most specific subscription of an event. We draw it uniformly.",),
)
COVERED_BY = {"s1": (), "s2": (), "s3": ("s1",), "s4": ("s1",), "s5": ("s2",), "s6": ("s2",), "s7": ("s2",)}
EVENTS = 1000


class Seen(NamedTuple):
    """An event that matches a subscription and all that cover it."""

    matching: tuple[str, ...]
    specific: tuple[str, ...]
    event: object = None


GENERAL_FALL_FASTER = Rule(
    "after 1,000 events the novelty of s1 and s2 is below that of every subscription that they cover",
    lambda novelty: max(novelty["s1"], novelty["s2"]) < min(value for name, value in novelty.items() if name > "s2"),
    example=({"s1": 0.56, "s2": 0.43, "s3": 0.85, "s7": 0.86},),
    contradiction=({"s1": 0.56, "s2": 0.43, "s3": 0.85, "s7": 0.56},),
)
COVERING_MORE_FALLS_FASTER = Rule(
    "after 1,000 events the novelty of s2, which covers three, is below that of s1, which covers two",
    lambda novelty: novelty["s2"] < novelty["s1"],
    example=({"s1": 0.56, "s2": 0.43},),
    contradiction=({"s1": 0.56, "s2": 0.56},),
)


def published(seed: int, events: int) -> list[tuple[float, ...]]:
    """The novelty of the seven after each event; all seven are equally likely to be the most specific one."""
    novelty = DecayingNovelty(Decaying(beta=1.0, alpha=0.001))
    names = list(COVERED_BY)
    rows: list[tuple[float, ...]] = [(0, *(1.0 for _ in names))]
    for number in range(1, events + 1):
        drawn = names[int.from_bytes(blake2b(f"fig2 {seed} {number}".encode(), digest_size=8).digest()) % len(names)]
        novelty.score(Seen((drawn, *COVERED_BY[drawn]), (drawn,)))
        rows.append((number, *(novelty.novelty(name) for name in names)))
    return rows


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Each event has one of the seven as its most specific subscription; alpha = 0.001 beta."""
    from matplotlib.figure import Figure

    names = list(COVERED_BY)
    found = report.each_seed(lambda seed: published(seed, events))
    rows = found[0]
    report.table("fig2", ("event", *names), rows)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for place, name in enumerate(names, 1):
        axes.plot([row[0] for row in rows], [row[place] for row in rows], label=name, lw=2 if place < 3 else 1.2)
    axes.set(xlabel="events published", ylabel="novelty, as a share of beta")
    axes.set_title("DBRank Figure 2: s1 covers s3, s4; s2 covers s5, s6, s7")
    axes.legend(ncols=2)
    axes.grid(alpha=0.3)
    report.figure("fig2", figure)
    last = [dict(zip(names, one[-1][1:], strict=True)) for one in found]
    shown = ", ".join(f"{name} {value:.3f}" for name, value in last[0].items())
    report.shape(
        GENERAL_FALL_FASTER,
        [(one,) for one in last],
        "seeds",
        "the more general the subscription, the higher the reduction rate of its novelty",
        f"first seed: {shown}",
    )
    report.shape(
        COVERING_MORE_FALLS_FASTER,
        [(one,) for one in last],
        "seeds",
        "the reduction rate increases with the number of the subscriptions covered by it",
    )
    expected = 1 - 0.001 * events * 4 / 7
    report.remark(
        f"Expected value for s2 if all seven are equally likely: 1 - 0.001 * {events} * 4/7 = {expected:.3f}. "
        "The paper prints no values."
    )


EXPERIMENT = Experiment("dbrank_fig2", "Decaying novelty", f"{SOURCE}, Figure 2", run)
