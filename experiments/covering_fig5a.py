"""Figure 5(a): share of 10,000 subscriptions forwarded, k 1 to 10."""

from experiments.covering_common import (
    COLOURS,
    SOURCE,
    compare_share,
    intervals,
    one_parent_depths,
    poset,
    share,
    subscriptions,
)

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse
from rankcast.model import Advertisement, Ranking
from rankcast.overlay import AncestorCoverK, Area, KnownSubscription, Order, RankCoverK, RegularCover, Strategy

COUNT = 10_000
KS = range(1, 11)
PAPER = {"cover": 1.47, "rank": 84.71, "ancestor": 6.03}


def run(report: ExperimentReport) -> None:
    """Count ancestors and depths once; the strategies must agree with them."""
    draw(report, COUNT, PAPER, seeds=3)
    check_strategies(report, COUNT)


def draw(report: ExperimentReport, count: int, paper: dict[str, float], seeds: int) -> None:
    """The curves of Figure 5(a) or (b), as means over several workloads."""
    rows = []
    for k in KS:
        counted = [poset(count, seed=seed) for seed in range(seeds)]
        rows.append(
            (
                k,
                *(
                    round(sum(values) / seeds, 3)
                    for values in (
                        [share(counts, 0) for counts, _ in counted],
                        [share(counts, k - 1) for counts, _ in counted],
                        [share(depths, k) for _, depths in counted],
                        [share(one_parent_depths(count, seed), k) for seed in range(seeds)],
                    )
                ),
            )
        )
        report.progress(0.8 * k / len(KS))
    report.table("forwarded", ["k", "RegularCover", "AncestorCoverK", "RankCoverK", "RankCoverK, one parent"], rows)
    last = rows[-1]
    compare_share(report, "RegularCover", paper["cover"], last[1])
    report.compare(
        "AncestorCoverK, k 1 to 10",
        f"under {paper['ancestor']:g} %",
        f"{last[2]:.2f} %",
        last[2] < paper["ancestor"] * 1.1,
    )
    compare_share(
        report,
        "RankCoverK at k 10, depth by one parent each",
        paper["rank"],
        last[4],
        "the paper does not say how it counts depth; no other way that we tried comes near its figures",
    )
    report.compare(
        "RankCoverK at k 10, depth by longest chain",
        f"{paper['rank']:g} %",
        f"{last[3]:.2f} %",
        last[3] < paper["rank"],
        "fewer than in the paper, and still exact: every chain of k above a subscription proves that it is outranked",
    )
    _figure(report, count, rows)


def _figure(report: ExperimentReport, count: int, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2))
    axes = figure.subplots()
    ks = [row[0] for row in rows]
    axes.plot(
        ks,
        [row[4] for row in rows],
        "--",
        color=COLOURS["RankCoverK"],
        label="RankCoverK, one parent each (the paper's)",
    )
    axes.plot(ks, [row[3] for row in rows], "o-", color=COLOURS["RankCoverK"], label="RankCoverK, longest chain (ours)")
    axes.plot(ks, [row[2] for row in rows], "s-", color=COLOURS["AncestorCoverK"], label="AncestorCoverK")
    axes.plot(ks, [row[1] for row in rows], "-", color=COLOURS["RegularCover"], label="RegularCover (no top-k)")
    axes.set_yscale("log")
    axes.set_yticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50", "100"])
    axes.set_xticks(ks)
    axes.set_xlabel("k")
    axes.set_ylabel("forwarded, % of subscriptions")
    axes.set_title(f"{count:,} subscriptions of 30 to 60 % of the space")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.14))
    report.figure("forwarded", figure)


def check_strategies(report: ExperimentReport, count: int) -> None:
    """Check that the strategies, with scores by area, forward as many subscriptions as the poset predicts."""
    counts, depths = poset(count)
    advertisement = Advertisement("a1", "publisher", parse("x between 0 and 1"), 10)
    known = [KnownSubscription(one) for one in subscriptions(intervals(count))]
    agree = []
    expected: list[tuple[Strategy, float]] = [
        (RegularCover(), share(counts, 0)),
        (AncestorCoverK(), share(counts, 9)),
        (RankCoverK(), share(depths, 10)),
    ]
    for strategy, due in expected:
        order = Order(strategy.standing, Ranking.RELEVANCE, Area(advertisement))
        sent = 100 * len(strategy.forward(known, order, 10)) / count
        agree.append(abs(sent - due) < 1e-3)
        report.progress(0.8 + 0.2 * len(agree) / 3)
    report.remark(
        "At k 10, the strategies forward exactly the subscriptions that ancestors and depths in the poset predict: "
        f"{'yes' if all(agree) else 'NO'}."
    )


EXPERIMENT = Experiment("covering_fig5a", "Forwarded subscriptions, 10,000, low k", f"{SOURCE}, Figure 5(a)", run)
