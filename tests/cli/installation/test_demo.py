"""``rankcast demo``, on the first films only: all of them is `make demo`."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.spark


def test_digests_and_summary(rankcast: Any) -> None:
    result = rankcast("demo", "--limit", "3000")
    assert "hugo · all" in result.stdout
    assert "3,000 films, 12 users" in result.stdout
    assert "Next steps" in result.stdout
    assert "3,000 films" in result.stderr

    told = [json.loads(line) for line in rankcast("demo", "--limit", "3000", "--json").stdout.splitlines()]
    assert len(told) == 12
    for one in told:
        assert one["delivered"] <= one["matched"]
        assert len(one["last"]) == min(4, one["delivered"])
    assert sum(one["delivered"] for one in told) > 20
