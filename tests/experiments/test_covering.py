"""The covering experiments: the figures that EXPERIMENTS.md states, and each one in a reduced form."""

import sys
from pathlib import Path

import pytest

from rankcast.lab.reproduce import ExperimentReport

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments import (
    covering_common,
    covering_fig5a,
    covering_fig5c,
    covering_fig5d,
    covering_fig6a,
    covering_fig6b,
    covering_fig7,
    covering_fig8,
    covering_latency,
    covering_summary,
)


@pytest.mark.parametrize(
    ("count", "sizes", "ancestors", "paper"),
    [
        (10_000, (30, 60), 1, 1.47),
        (10_000, (30, 60), 10, 6.03),
        (50_000, (30, 60), 1, 0.69),
        (50_000, (30, 60), 10, 2.5),
        (50_000, (30, 60), 50, 5.76),
        (50_000, (30, 60), 500, 20.0),
        (50_000, (30, 60), 5_000, 66.7),
        (10_000, (10, 60), 1, 1.22),
        (10_000, (10, 60), 500, 40.33),
        (10_000, (30, 40), 1, 3.08),
        (10_000, (30, 40), 500, 82.05),
        (10_000, (50, 60), 500, 69.59),
    ],
)
def test_as_many_are_forwarded_as_in_the_paper(
    count: int, sizes: tuple[int, int], ancestors: int, paper: float
) -> None:
    counts, _ = covering_common.poset(count, sizes[0] / 100, sizes[1] / 100)
    assert covering_common.share(counts, ancestors - 1) == pytest.approx(paper, rel=0.1)


def test_depth_by_the_longest_chain_forwards_far_fewer_than_the_paper_s() -> None:
    _, depths = covering_common.poset(10_000)
    assert covering_common.share(depths, 10) == pytest.approx(13.9, rel=0.1)
    assert covering_common.share(covering_common.one_parent_depths(10_000), 10) == pytest.approx(84.71, rel=0.1)


@pytest.mark.parametrize(("k", "publications"), [(1, 2500), (2, 1200), (5, 1000)])
def test_fair_shares_halve_the_deviation(k: int, publications: int) -> None:
    """With few publications the noise of the lot hides the difference."""
    cover, fair = (covering_common.fairness(name, k, 250, publications) for name in ("AncestorCoverK", "AncestorFairK"))
    assert fair.deviation() <= 0.5 * cover.deviation()


@pytest.mark.parametrize("name", ["RegularK", "AncestorCoverK", "AncestorFairK"])
def test_latency_is_that_of_the_deliveries_the_overlay_makes(name: str) -> None:
    given = covering_common.chain(200, 5)
    overlay = given.overlay(covering_latency.STRATEGIES[name](), 10)
    made = sum(len(overlay.publish(event).recipients) for event in given.events)
    assert covering_latency.latency(name, 10, 200, 5).deliveries == made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "reduced"),
    [
        (covering_fig5a.draw, {"count": 2_000, "paper": covering_fig5a.PAPER, "seeds": 1}),
        (covering_fig5a.check_strategies, {"count": 2_000}),
        (covering_fig5c.run, {}),
        (covering_fig5d.run, {}),
        (covering_fig6a.run, {"publications": 60}),
        (covering_fig6b.run, {"publications": 60}),
        (covering_fig7.run, {"publications": 3}),
        (covering_fig8.run, {"publications": 2}),
        (covering_summary.run, {"cases": (("regular-cover", 10_000, 1),)}),
    ],
    ids=["5a", "strategies", "5c", "5d", "6a", "6b", "7", "8", "summary"],
)
def test_each_runs(run: object, reduced: dict[str, object], tmp_path: Path) -> None:
    report = ExperimentReport(tmp_path)
    run(report, **reduced)  # type: ignore[operator]
    assert report.comparisons or report.remarks == [
        "At k 10, the strategies forward exactly the subscriptions that ancestors and depths in the poset predict: yes."
    ]
    assert all((tmp_path / name).stat().st_size for name in report.files)
