"""The covering experiments: the figures that EXPERIMENTS.md states, and each one in a reduced form."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from rankcast.lab.reproduce import ExperimentReport

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments import (
    covering_common,
    covering_fig5a,
    covering_fig5b,
    covering_fig5c,
    covering_fig5d,
    covering_fig6a,
    covering_fig6b,
    covering_fig7,
    covering_fig8,
    covering_latency,
    covering_split,
    covering_stale,
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
    one_parent, shortest = covering_common.parent_depths(10_000)
    assert covering_common.share(one_parent, 10) == pytest.approx(84.71, rel=0.1)
    assert (shortest <= one_parent).all()


def test_fair_shares_halve_the_deviation() -> None:
    """With few publications the noise of the lot hides the difference."""
    found = covering_common.fairness(2, 0, 1200)
    assert found.deviation("AncestorFairK") <= 0.5 * found.deviation("AncestorCoverK")


def test_the_papers_measure_sums_how_much_the_numbers_of_publications_differ() -> None:
    found = covering_common.Fairness(
        {"RegularK": {"s1": 5, "s2": 1}, "Other": {"s1": 3, "s3": 2}}, {"s1": 4, "s2": 1, "s3": 1}
    )
    assert found.difference("Other") == 2 + 1 + 2
    assert found.difference("Other", ["s1"]) == 2
    assert found.difference("RegularK") == 0


@pytest.mark.parametrize("name", ["RegularK", "AncestorCoverK", "AncestorFairK"])
def test_latency_is_that_of_the_deliveries_the_overlay_makes(name: str) -> None:
    given = covering_common.chain(200, 5)
    overlay = given.overlay(covering_latency.STRATEGIES[name](), 10)
    made = sum(len(overlay.publish(event).recipients) for event in given.events)
    assert covering_latency.latencies(10, 200, 5)[name].deliveries == made


class Clock:
    """Advances by a second with each reading, and after some readings by three: the machine has become slower."""

    def __init__(self, slow_after: float = float("inf")) -> None:
        self.readings, self._now, self._slow_after = 0, 0, slow_after

    def __call__(self) -> float:
        self.readings += 1
        self._now += 1 if self.readings < self._slow_after else 3
        return self._now


def test_a_machine_that_becomes_slower_slows_no_strategy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def times(clock: Clock) -> dict[str, float]:
        monkeypatch.setattr(covering_latency, "thread_time", clock)
        covering_latency.latencies.cache_clear()
        return {name: one.milliseconds for name, one in covering_latency.latencies(5, 100, 2).items()}

    steady = Clock()
    expected = times(steady)
    assert times(Clock(slow_after=steady.readings // 2)) == expected
    covering_latency.latencies.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "reduced"),
    [
        (covering_fig5a, {"count": 1_000}),
        (covering_fig5b, {"count": 1_000, "fewer": 500}),
        (covering_fig5c, {"counts": (1_000, 2_000)}),
        (covering_fig5d, {"count": 1_000}),
        (covering_fig6a, {"publications": 20}),
        (covering_fig6b, {"publications": 20}),
        (covering_fig7, {"publications": 1, "counts": (250, 300)}),
        (covering_fig8, {"publications": 1, "counts": (125, 250)}),
        (covering_split, {"publications": 20}),
        (covering_stale, {"publications": 20}),
        (covering_summary, {"cases": (("regular-cover", 1_000, 1),)}),
    ],
    ids=lambda value: value.EXPERIMENT.name if hasattr(value, "EXPERIMENT") else "",
)
def test_each_runs(module: ModuleType, reduced: dict[str, object], tmp_path: Path) -> None:
    report = ExperimentReport(tmp_path, seeds=1)
    module.run(report, **reduced)
    assert report.comparisons
    assert all((tmp_path / name).stat().st_size for name in report.files)
