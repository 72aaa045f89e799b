"""``rankcast backtest``: policies beside each other, in words and in a picture."""

import json
from pathlib import Path
from typing import Any

import pytest

from rankcast.cli.files.backtest import policy_of
from rankcast.errors import ModelError
from rankcast.model import Mode, Select


def test_a_policy_is_given_by_its_fields() -> None:
    policy = policy_of("mode=sliding k=3 length=50 sigma=0.5 select=exact")
    assert (policy.mode, policy.k, policy.sigma, policy.select) == (Mode.SLIDING, 3, 0.5, Select.EXACT)


@pytest.mark.parametrize("text", ["k", "=3", "k=", "mode=sliding"])
def test_what_is_no_policy_is_told(text: str) -> None:
    with pytest.raises(ModelError):
        policy_of(text)


@pytest.mark.spark
def test_rows_and_a_picture(rankcast: Any, lines: Any, tmp_path: Path) -> None:
    catalog = lines("c.jsonl", [{"kind": "subscription", "id": "s1", "user": "ann", "where": "x >= 0", "score": 0.5}])
    events = lines(
        "e.jsonl", [{"id": f"e{n}", "time": f"2026-01-01T00:00:{n:02}Z", "attributes": {"x": n}} for n in range(10)]
    )
    result = rankcast(
        *("backtest", "--catalog", str(catalog), "--events", str(events), "--json", "--user", "ann"),
        *("--try", "mode=periodic k=2 length=5", "--picture", "lab.png"),
    )
    now, periodic = map(json.loads, result.stdout.splitlines())
    assert (now["policy"], now["delivered"], now["overlap"]) == ("as now", 10, 1.0)
    assert (periodic["policy"], periodic["delivered"]) == ("mode=periodic k=2 length=5", 4)
    assert periodic["overlap"] == pytest.approx(0.4)
    assert (tmp_path / "lab.png").read_bytes().startswith(b"\x89PNG")
