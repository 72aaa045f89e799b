"""The DEBS'09 experiments, in part: the figures that they must meet (docs/reproduction.md)."""

from pathlib import Path

import pytest

from rankcast.lab.reproduce import ExperimentReport, experiments


@pytest.fixture(scope="module")
def known():
    return experiments(Path(__file__).parents[2] / "experiments")


def missed(report: ExperimentReport) -> list[str]:
    return [one.what for one in report.comparisons if not one.agrees]


def test_all_are_there(known):
    assert {"debs_table1", "debs_table2", *(f"debs_fig{number}" for number in range(10, 16))} <= set(known)


def test_table_2_is_met_to_the_node(known, tmp_path):
    report = ExperimentReport(tmp_path)
    known["debs_table2"].run(report)
    assert len(report.comparisons) == 12
    assert missed(report) == []


def test_table_1_with_few_draws(known, tmp_path):
    report = ExperimentReport(tmp_path)
    known["debs_table1"].run(report, samples=2)
    missed_summaries = {"exact search finishes every cell", "improved, share of the optimum on average"} & set(
        missed(report)
    )
    assert not missed_summaries
    assert (tmp_path / "debs_table1.csv").exists()


@pytest.mark.slow
def test_figure_10_for_two_scenarios(known, tmp_path):
    report = ExperimentReport(tmp_path)
    known["debs_fig10"].run(report, scenarios=("Best-Last", "Random"))
    assert [what for what in missed(report) if not what.startswith("history: prunes")] == []


def test_the_stream_is_the_papers(known):
    from experiments.debs_common import SCENARIOS, mean_rank_of_all, ranked_films, stream

    ranks = {event.id: rank for event, rank in ranked_films()}
    assert sum(rank is not None for rank in ranks.values()) == 930
    assert mean_rank_of_all() == pytest.approx(0.46, abs=0.005)
    for scenario in SCENARIOS:
        events = stream(scenario)
        assert [event.seq for event in events] == list(range(1, 2001))
        assert {event.id for event in events} == set(ranks)
    best_last = [ranks[event.id] for event in stream("Best-Last") if ranks[event.id] is not None]
    assert best_last == sorted(best_last)
