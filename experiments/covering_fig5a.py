"""Figure 5(a): share of 10,000 subscriptions forwarded, k 1 to 10."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from experiments.covering_common import (
    COLOURS,
    LARGER_K,
    SOURCE,
    WORKLOADS,
    intervals,
    parent_depths,
    poset,
    share,
    subscriptions,
)

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.language import parse
from rankcast.model import Advertisement, Ranking
from rankcast.overlay import AncestorCoverK, Area, KnownSubscription, Order, RankCoverK, RegularCover, Strategy

COUNT = 10_000
KS = range(1, 11)
PAPER = {"cover": 1.47, "rank": 84.71, "ancestor": 6.03, "all": 19}
LONGEST, ONE_PARENT, SHORTEST = "depth by longest chain", "depth by one parent", "depth by shortest chain"

STAYS_UNDER = Rule(
    "AncestorCoverK stays under the bound for k 1 to 10",
    lambda shares, bound: all(share < bound for share in shares),
    example=([1.5, 4.0, 6.0], 6.03),
    contradiction=([1.5, 4.0, 6.03], 6.03),
)
BELOW_RANK_COVER = Rule(
    "AncestorCoverK forwards fewer than RankCoverK at every k from 2 to 10",
    lambda ancestor, rank: all(one < other for one, other in zip(ancestor[1:], rank[1:], strict=True)),
    example=([1.5, 2.0, 3.0], [1.5, 4.0, 9.0]),
    contradiction=([1.5, 2.0, 9.0], [1.5, 4.0, 9.0]),
)


def run(report: ExperimentReport, count: int = COUNT) -> None:
    """Count ancestors and depths once; the strategies must agree with them."""
    draw(report, count, PAPER)
    check_strategies(report, count)


def curves(count: int, seed: int) -> dict[str, list[float]]:
    """The shares forwarded at k 1 to 10 of one workload."""
    counts, depths = poset(count, seed=seed)
    return {
        "RegularCover": [share(counts, 0)] * len(KS),
        "AncestorCoverK": [share(counts, k - 1) for k in KS],
        "RankCoverK": [share(depths, k) for k in KS],
    }


def draw(report: ExperimentReport, count: int, paper: Mapping[str, float]) -> dict[str, float]:
    """The curves of Figure 5(a) or (b); return the share that RankCoverK forwards at k 10, for each choice of depth."""
    found = report.each_seed(lambda seed: curves(count, seed), 0.5)
    means = {
        name: [round(fmean(column), 3) for column in zip(*(one[name] for one in found), strict=True)]
        for name in found[0]
    }
    depths = {LONGEST: poset(count)[1], **dict(zip((ONE_PARENT, SHORTEST), parent_depths(count), strict=True))}
    others = {name: [share(of, k) for k in KS] for name, of in depths.items() if name != LONGEST}
    report.table(
        "forwarded",
        ["k", *means, *(f"RankCoverK, {name}" for name in others)],
        [(k, *(line[at] for line in (*means.values(), *others.values()))) for at, k in enumerate(KS)],
    )
    squares = {name: poset(count, workload=name) for name in WORKLOADS[1:]}
    deep = {name: of for name, (_, of) in squares.items() if of is not None}
    report.printed(
        "RegularCover",
        paper["cover"],
        means["RegularCover"][0],
        " %",
        others={name: share(counts, 0) for name, (counts, _) in squares.items()},
    )
    at_ten = {LONGEST: means["RankCoverK"][-1], **{name: line[-1] for name, line in others.items()}}
    report.printed(
        f"RankCoverK at k 10, {LONGEST}",
        paper["rank"],
        at_ten[LONGEST],
        " %",
        note=DEPTH,
        others={
            **{name: value for name, value in at_ten.items() if name != LONGEST},
            **{f"{LONGEST}, {name}": share(of, 10) for name, of in deep.items()},
        },
    )
    report.printed(
        f"k at which RankCoverK forwards everything, {LONGEST}",
        paper["all"],
        int(depths[LONGEST].max()),
        digits=0,
        others={
            **{name: int(of.max()) for name, of in depths.items() if name != LONGEST},
            **{f"{LONGEST}, {name}": int(of.max()) for name, of in deep.items()},
        },
    )
    bound = paper["ancestor"]
    tens = [one["AncestorCoverK"][-1] for one in found]
    report.shape(
        STAYS_UNDER,
        [(one["AncestorCoverK"], bound) for one in found],
        "seeds",
        f"under {bound:g} %",
        f"{min(tens):.2f} to {max(tens):.2f} % at k 10",
    )
    report.shape(
        BELOW_RANK_COVER,
        [(one["AncestorCoverK"], one["RankCoverK"]) for one in found],
        "seeds",
        "eliminates this limitation",
        "by the longest chain, which is RankCoverK at its best",
    )
    line = means["RankCoverK"]
    report.ours("RankCoverK, k 1 to 10", f"{line[0]:.2f} to {line[-1]:.2f} %", note=LARGER_K)
    for name, (counts, _) in squares.items():
        report.ours(
            f"AncestorCoverK at k 10, {name}",
            f"{share(counts, 9):.2f} %",
            f"{means['AncestorCoverK'][-1]:.2f} %",
            "beside one attribute",
        )
    _figure(report, count, means, others)
    return at_ten


def _figure(
    report: ExperimentReport, count: int, means: Mapping[str, Sequence[float]], others: Mapping[str, Sequence[float]]
) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2))
    axes = figure.subplots()
    for (name, line), style in zip(others.items(), ("--", ":"), strict=True):
        axes.plot(KS, line, style, color=COLOURS["RankCoverK"], label=f"RankCoverK, {name}")
    axes.plot(KS, means["RankCoverK"], "o-", color=COLOURS["RankCoverK"], label=f"RankCoverK, {LONGEST} (ours)")
    axes.plot(KS, means["AncestorCoverK"], "s-", color=COLOURS["AncestorCoverK"], label="AncestorCoverK")
    axes.plot(KS, means["RegularCover"], "-", color=COLOURS["RegularCover"], label="RegularCover (no top-k)")
    axes.set_yscale("log")
    axes.set_yticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50", "100"])
    axes.set_xticks(KS)
    axes.set(xlabel="k", ylabel="forwarded, % of subscriptions")
    axes.set_title(f"{count:,} subscriptions of 30 to 60 % of one attribute")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8)
    report.figure("forwarded", figure)


def check_strategies(report: ExperimentReport, count: int) -> None:
    """Check that the strategies, with scores by area, forward as many subscriptions as the poset predicts."""
    counts, depths = poset(count)
    advertisement = Advertisement("a1", "publisher", parse("x between 0 and 1"), 10)
    known = [KnownSubscription(one) for one in subscriptions(intervals(count))]
    expected: list[tuple[str, Strategy, float]] = [
        ("RegularCover", RegularCover(), share(counts, 0)),
        ("AncestorCoverK", AncestorCoverK(), share(counts, 9)),
        ("RankCoverK", RankCoverK(), share(depths, 10)),
    ]
    for number, (name, strategy, due) in enumerate(expected, 1):
        order = Order(strategy.standing, Ranking.RELEVANCE, Area(advertisement))
        sent = 100 * len(strategy.forward(known, order, 10)) / count
        what = f"{name} at k 10, forwarded by the strategy (beside it: as ancestors and depths in the poset predict)"
        report.ours(what, f"{sent:.3f} %", f"{due:.3f} %")
        report.progress(0.8 + 0.2 * number / 3)


DEPTH = "the paper does not say how it counts depth; every chain of k above a subscription proves that it is outranked"
EXPERIMENT = Experiment("covering_fig5a", "Forwarded subscriptions, 10,000, low k", f"{SOURCE}, Figure 5(a)", run)
