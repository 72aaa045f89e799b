"""The novelty experiments: each runs in a reduced form, and the figures that EXPERIMENTS.md states hold in full."""

import functools
import inspect
import math
import sys
from pathlib import Path

import msgspec
import pytest

from rankcast.lab.reproduce import ExperimentReport, experiments
from rankcast.model import FilterKind, Scoring, Update
from rankcast.rank import entropy

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments import novelty_changes, novelty_common, thesis_paced, thesis_sec3_4

KNOWN = experiments(Path(__file__).parents[2] / "experiments")
NAMES = [
    "dbrank_fig2",
    "thesis_sec3_4",
    "thesis_paced",
    "thesis_groups",
    *(f"thesis_fig4_{number}" for number in range(1, 17)),
]
HIGHEST = math.log2(10)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_experiment_runs_on_a_short_stream(name, tmp_path):
    run = KNOWN[name].run
    report = ExperimentReport(tmp_path, seeds=1)
    run(
        report,
        **(
            {"events": 400 if name == "thesis_groups" else 4000}
            if "events" in inspect.signature(run).parameters
            else {}
        ),
    )
    assert report.comparisons
    assert msgspec.json.encode(report.comparisons)
    assert any(file.endswith(".png") for file in report.files)
    assert all((tmp_path / file).stat().st_size for file in report.files)


def run(kind=FilterKind.THRESHOLD, scoring=Scoring.RATE, update=Update.LAZY, stream=None, **more):
    how = novelty_common.settings(kind, scoring, update, **more)
    return novelty_common.run(stream or novelty_common.default_stream(), how)


def test_the_best_steady_threshold_by_interval_spends_the_share():
    places = novelty_common.default_stream(1.25, 20_000).places
    at = {share: thesis_paced.steady_entropy(places, share) for share in (0.1, 0.175, 0.2)}
    assert HIGHEST > at[0.1] > at[0.175] > at[0.2]
    lasts, counts = {}, [0] * 10
    for t, place in enumerate(places.tolist()):
        if t - lasts.get(place, -math.inf) >= 33:
            lasts[place], counts[place] = t, counts[place] + 1
    assert at[0.2] == pytest.approx(entropy(counts), abs=0.003)
    assert sum(counts) / len(places) == pytest.approx(0.2, abs=0.003)


def test_the_bound_around_a_change_is_that_of_the_evenest_choice():
    at = functools.partial(thesis_paced.most_even, events=100_000)
    leave, join = "five of ten subscriptions leave", "a second subscription joins"
    assert at("zipf 1.25", 0, 10_000) == at(leave, 40_000, 50_000) == pytest.approx(HIGHEST)
    assert at(leave, 50_000, 60_000) == pytest.approx(math.log2(5))
    bounds = [at(leave, start, start + 10_000) for start in range(41_000, 50_000, 1000)]
    assert HIGHEST > bounds[0] > bounds[4] > bounds[8] > math.log2(5)
    assert at(leave, 45_000, 55_000) == pytest.approx(entropy([102 + 196] * 5 + [102] * 5))
    assert at(join, 1000, 11_000) == pytest.approx(entropy([1764, 204]))
    assert at(join, 9000, 19_000) == pytest.approx(1)


def test_nodes_that_exchange_all_scores_are_the_plain_filter_on_one_node_and_spend_less_on_many():
    stream = novelty_common.default_stream(events=20_000)
    one, ten = (thesis_sec3_4.with_all_scores(stream, nodes, 1000) for nodes in (1, 10))
    plain = run(stream=stream)
    assert one == (pytest.approx(plain.entropy), plain.share)
    settings, length = thesis_sec3_4.VARIANTS[thesis_sec3_4.ALL_SCORES]
    ours = thesis_sec3_4.serve(stream, settings, 10, length)
    assert ten[1] < 0.15 < 0.19 < ours.share


def test_threshold_by_rate_reaches_the_optimum_and_nearly_spends_the_budget():
    for period in (1000, 100):
        found = run(period=period)
        assert found.entropy == pytest.approx(HIGHEST, abs=0.001)
    assert 0.19 <= run().share <= 0.20
    assert run().entropy == pytest.approx(novelty_common.yardstick(novelty_common.default_stream(), 20_000), abs=0.001)


def test_threshold_by_interval_stays_below():
    assert run(scoring=Scoring.INTERVAL).entropy == pytest.approx(3.278, abs=0.003)
    assert run(scoring=Scoring.INTERVAL, period=100).entropy == pytest.approx(3.275, abs=0.003)


def test_random_is_well_below():
    assert run(FilterKind.RANDOM).entropy < 2.7


def test_skew_reverse_hurts_sampling_and_not_threshold():
    stream = novelty_changes.skew_reverse()
    assert run(stream=stream).entropy == pytest.approx(HIGHEST, abs=0.001)
    assert run(FilterKind.SAMPLING, stream=stream).measures(50_000)["entropy"] < 3


def test_after_leaving_five_of_ten_the_mean_distance_is_five():
    stream = novelty_changes.leaving()
    found = novelty_common.run(stream, novelty_common.settings(FilterKind.THRESHOLD), {50_000: novelty_changes.KEPT})
    assert found.measures(50_000)["distance"] == pytest.approx(5, abs=0.01)


def test_aging_helps_interval_and_not_rate():
    interval = [run(scoring=Scoring.INTERVAL, aging=aging).entropy for aging in (1.0, 0.5, 0.1)]
    assert interval[0] < interval[1] < interval[2]
    rate = [run(aging=aging).entropy for aging in (1.0, 0.5, 0.1)]
    assert max(rate[1:]) < rate[0] + 0.0005
