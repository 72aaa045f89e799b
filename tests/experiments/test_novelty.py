"""The novelty experiments: each runs in a reduced form, and the figures that EXPERIMENTS.md states hold in full."""

import inspect
import itertools
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


def test_filled_is_as_even_as_the_matches_allow():
    assert thesis_paced.filled([0, 0], [10, 2], 6) == [4, 2]
    assert thesis_paced.filled([5, 0, 0], [10, 10, 1], 4) == [5, 3, 1]
    assert thesis_paced.filled([1, 2], [1, 1], 9) == [2, 3], "there are not more"


def test_no_choice_of_events_has_more_entropy_than_in_hindsight():
    for matches, k in (((9, 4, 1), 7), ((5, 5, 5), 6), ((12, 1, 0), 6)):
        most = max(
            entropy([a, b, k - a - b])
            for a, b in itertools.product(range(k + 1), repeat=2)
            if a <= matches[0] and b <= matches[1] and 0 <= k - a - b <= matches[2]
        )
        assert thesis_paced.in_hindsight(matches, k) == pytest.approx(most, abs=1e-6)


def test_the_bound_of_a_filter_that_does_not_know_of_a_change():
    before, after = [500] * 10, [1000] * 5 + [0] * 5
    exact, free = thesis_paced.unforeseen(before, after), thesis_paced.unforeseen(before, after, leeway=40)
    assert exact == pytest.approx(entropy([100 + 200] * 5 + [100] * 5))
    assert free == pytest.approx(entropy([104 + 192] * 5 + [104] * 5)), "40 events more before, and so fewer after"
    assert thesis_paced.in_hindsight([1500] * 5 + [500] * 5, 2000) > free, "who knows serves those that will leave"
    assert thesis_paced.unforeseen([9000, 0], [500, 500]) == pytest.approx(entropy([1800, 200]))
    assert thesis_paced.unforeseen([1000, 0], [4500, 4500]) == 1


def test_the_share_that_a_second_subscription_needs():
    assert thesis_paced.needed(0, 1000, 1.0) == pytest.approx(0.5, abs=1e-6)
    assert thesis_paced.needed(1200, 800, 0.9625) == pytest.approx(0.97, abs=0.01)
    assert entropy([1200 + 24, 776]) >= 0.9625 > entropy([1200 + 40, 760])


def test_before_and_after_a_change_are_measured_apart():
    assert thesis_paced.in_parts([[1] * 10, [1] * 5], [3, 1]) == pytest.approx((3 * HIGHEST + math.log2(5)) / 4)
    assert thesis_paced.in_parts([[], [1, 1]], [0, 7]) == 1


def test_paced_by_interval_is_as_even_as_lazy_wherever_a_filter_can_be_that_serves_all_evenly(tmp_path):
    """Over any ten periods without a change, and before and after a change apart; so it is by rate."""
    report = ExperimentReport(tmp_path, seeds=1)
    for scoring in (Scoring.RATE, Scoring.INTERVAL):
        thesis_paced._any_ten_periods(report, 100_000, scoring)
    by_rate, by_interval = (row.note for row in report.comparisons)
    assert report.comparisons[0].ours.startswith("0 of 637")
    for note in (by_rate, by_interval):
        assert "Before and after a change apart, 0 are below" in note
    assert "In all, 8 are below" in by_rate
    assert "In all, 11 are below" in by_interval, "59 when a turn that was missed was forgotten"


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
