from datetime import UTC, datetime

import pytest

from rankcast.store import QuietLog
from rankcast.store.push.quiet_log import KeptQuiet

NIGHT = {"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"}
BEGAN = datetime(2026, 5, 4, 20, tzinfo=UTC)


@pytest.fixture
def log(store) -> QuietLog:
    return QuietLog(store.database)


def test_quiet_hours_are_kept_replaced_and_removed(log):
    assert log.of("ann") is None
    log.put("ann", NIGHT)
    log.put("bob", NIGHT)
    log.put("ann", {**NIGHT, "to": "08:00"})
    assert log.of("ann") == KeptQuiet("ann", {**NIGHT, "to": "08:00"})
    assert [kept.user for kept in log.all()] == ["ann", "bob"]
    assert log.remove("ann")
    assert not log.remove("ann")
    assert [kept.user for kept in log.all()] == ["bob"]


def test_the_beginning_is_noted_until_the_hours_change(log):
    log.mark("ann", BEGAN)  # nobody's
    log.put("ann", NIGHT)
    log.mark("ann", BEGAN)
    assert log.of("ann") == KeptQuiet("ann", NIGHT, BEGAN, 0)
    log.put("ann", NIGHT)
    assert log.of("ann") == KeptQuiet("ann", NIGHT)
