"""The service prunes by its settings; events and deliveries stay unless it is told otherwise."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from waiting import until

from rankcast.errors import ModelError
from rankcast.model import Reject
from rankcast.service import Service, ServiceSettings
from rankcast.service.pruner import Pruner
from rankcast.store import Store
from rankcast.store.retention.rules import RetentionRule


def test_the_rules_of_a_service(settings: ServiceSettings) -> None:
    by_default = settings.retention
    assert by_default["events"] == by_default["deliveries"] == by_default["catalog"] == RetentionRule()
    assert by_default["digests"] == by_default["rejects"] == RetentionRule(age=timedelta(days=90))
    told = replace(settings, keep=("events=30d", "rejects=all"), kept_days=3).retention
    assert (told["events"].age, told["rejects"], told["digests"].age) == (
        timedelta(days=30),
        RetentionRule(),
        timedelta(days=3),
    )
    with pytest.raises(ModelError, match="nothing called 'event'"):
        replace(settings, keep=("event=30d",))


def test_a_round(store, clock) -> None:
    store.reject([Reject("f", 1, "bad", "x")])
    clock.advance(days=2)
    pruner = Pruner(store, {"rejects": RetentionRule(age=timedelta(days=1))})
    assert [one.rows for one in pruner.round()] == [1]
    assert store.rejects() == []


def test_the_service_prunes_and_shrinks_by_itself(settings: ServiceSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=2)
    with Store.create(settings.store, clock=lambda: long_ago) as store:
        store.reject([Reject("f", number, "bad", "x" * 1_000) for number in range(1_000)])
    monkeypatch.setattr("rankcast.service.pruner._EVERY", 0.05)
    service = Service(replace(settings, keep=("rejects=1d",)))

    def pages() -> int:
        with service.store.database.reading() as connection:
            return int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())

    before = pages()
    service.start()
    try:
        until(lambda: service.store.rejects() == [])
        until(lambda: pages() < before / 2)
    finally:
        service.stop()


def test_it_starts_and_ends_with_the_service(service: Service) -> None:
    service.start()
    service.pruner.stop()
    assert service.pruner.error is None
