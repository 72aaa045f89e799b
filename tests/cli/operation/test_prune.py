"""``rankcast prune``: says what would go, lets it go, and shrinks the file."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import Result

from rankcast.cli.options import KEEP_HELP
from rankcast.language import decode_event
from rankcast.store import StateChanges, Store
from rankcast.store.retention.rules import KINDS

Command = Callable[..., Result]


@pytest.fixture
def old(rankcast: Command) -> None:
    """A store whose events are two days old and were served."""
    long_ago = datetime.now(UTC) - timedelta(days=2)
    with Store.create("rankcast.db", clock=lambda: long_ago) as made:
        attributes = {"text": "x" * 500}
        made.publish(
            decode_event({"id": f"e{n}", "time": "2026-05-01", "attributes": attributes}) for n in range(2_000)
        )
        made.commit([], 2_000, 0, StateChanges(), 0)


def test_what_would_go_and_what_went(rankcast: Command, old: None) -> None:
    options = ["prune", "--keep", "events=1d", "--keep", "deliveries=30d"]
    said = rankcast(*options, "--dry-run", "--json")
    rows = {line["kind"]: line for line in map(json.loads, said.stdout.splitlines())}
    assert rows["events"] == {"kind": "events", "rule": "1d", "rows": 2000, "before": 2000}
    assert "2,000 rows would be deleted" in said.stderr
    before = Path("rankcast.db").stat().st_size
    assert "deleted 2,000 rows" in rankcast(*options, "--shrink").stderr
    assert Path("rankcast.db").stat().st_size < before / 2
    assert "deleted 0 rows" in rankcast(*options).stderr
    assert json.loads(rankcast("status", "--json").stdout)["published"] == 2000


def test_a_rule_that_is_none(rankcast: Command, old: None) -> None:
    said = rankcast("prune", "--keep", "event=1d", code=2).stderr
    assert "there is nothing called 'event' to keep; did you mean 'events'?" in said


def test_the_help_names_all_kinds() -> None:
    assert KEEP_HELP.split("Names: ")[1] == ", ".join(kind.name for kind in KINDS) + "."
