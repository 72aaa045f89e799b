"""The memory of the processes beside Spark's workers follows the formula in docs/deploy.md, with the constants of docs/scale.md."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
LITTLE, MUCH = 1_000, 5_000
"""Users, with ten subscriptions each."""


def documented(what: str) -> int:
    row = next(line for line in (ROOT / "docs" / "scale.md").read_text().splitlines() if line.startswith(f"| {what}"))
    return int(re.search(r"([\d,]+) bytes", row)[1].replace(",", ""))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_follows_the_formula(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import pipeline_scale

    found = {}
    for users in (LITTLE, MUCH):
        (tmp_path / str(users)).mkdir()
        per_subscription = pipeline_scale.run(tmp_path / str(users), users, 4_000, 2_000, 1.0, 2)
        found[users] = {name: per_subscription[name] * users * 10 for name in ("matcher", "shards")}
    documented_bytes = {
        "matcher": documented("memory of a process that matches"),
        "shards": documented("memory of a shard"),
    }
    for name, allowed in documented_bytes.items():
        slope = (found[MUCH][name] - found[LITTLE][name]) / (10 * (MUCH - LITTLE))
        assert 0 < slope < 1.15 * allowed, f"{name}: {slope:.0f} bytes for each subscription, documented are {allowed}"
    fixed = sum(found[LITTLE].values()) - 10 * LITTLE * sum(documented_bytes.values())
    assert fixed < 1e9, f"{fixed / 1e6:.0f} MB without subscriptions; docs/deploy.md says 1 GB"
