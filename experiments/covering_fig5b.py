"""Figure 5(b): share of 50,000 subscriptions forwarded, k 1 to 10."""

from experiments.covering_common import SOURCE, parent_depths, poset, share
from experiments.covering_fig5a import COUNT as FEWER
from experiments.covering_fig5a import LONGEST, ONE_PARENT, SHORTEST, check_strategies, curves, draw

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

COUNT = 50_000
PAPER = {"cover": 0.69, "rank": 60.53, "ancestor": 2.5, "all": 27}
SMALLER_SHARE = Rule(
    "RegularCover, RankCoverK and AncestorCoverK forward a smaller share of 50,000 than of 10,000, at every k",
    lambda fewer, more: all(many < few for name in fewer for few, many in zip(fewer[name], more[name], strict=True)),
    example=({"AncestorCoverK": [1.5, 6.0]}, {"AncestorCoverK": [0.7, 2.5]}),
    contradiction=({"AncestorCoverK": [1.5, 6.0]}, {"AncestorCoverK": [0.7, 6.0]}),
)


def run(report: ExperimentReport, count: int = COUNT, fewer: int = FEWER) -> None:
    """As Figure 5(a), with more subscriptions."""
    at_ten = draw(report, count, PAPER)
    one, shortest = parent_depths(fewer)
    of_fewer = {LONGEST: poset(fewer)[1], ONE_PARENT: one, SHORTEST: shortest}
    fewer_by = {name: 100 * (1 - value / share(of_fewer[name], 10)) for name, value in at_ten.items()}
    report.printed(
        f"RankCoverK at k 10: fewer than of 10,000, {LONGEST}",
        28.5,
        fewer_by[LONGEST],
        " %",
        1,
        others={name: value for name, value in fewer_by.items() if name != LONGEST},
    )
    report.shape(
        SMALLER_SHARE,
        [(curves(fewer, seed), curves(count, seed)) for seed in range(report.seeds)],
        "seeds",
        "scales with the number of subscriptions in the low k range",
    )
    check_strategies(report, count)


EXPERIMENT = Experiment("covering_fig5b", "Forwarded subscriptions, 50,000, low k", f"{SOURCE}, Figure 5(b)", run)
