"""The experiments on approximate matching, in a reduced form: each runs and draws its pictures."""

import inspect
from pathlib import Path

import msgspec
import pytest

from rankcast.lab.reproduce import ExperimentReport, experiments

KNOWN = experiments(Path(__file__).parents[2] / "experiments")
SMALL = {"subscriptions": 200, "publications": 20, "wishes": 60, "count": 150, "samples": 1, "on_spark": False}
NAMES = ["approx_condo", "approx_interval", "approx_auction", "approx_aggregation", "approx_mined"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_runs(name, tmp_path):
    run = KNOWN[name].run
    report = ExperimentReport(tmp_path, seeds=1)
    run(report, **{key: value for key, value in SMALL.items() if key in inspect.signature(run).parameters})
    assert report.comparisons
    assert msgspec.json.encode(report.comparisons)
    assert any(file.endswith(".png") for file in report.files)
    assert all((tmp_path / file).stat().st_size for file in report.files)


def test_the_condo_example_matches_as_its_text_says(tmp_path):
    report = ExperimentReport(tmp_path)
    KNOWN["approx_condo"].run(report)
    assert [row.ours for row in report.comparisons] == [
        "medium to 0.5: no match",
        "P 1, N 0.5",
        "P 1, N 0.5",
        "p66, vague",
    ]
