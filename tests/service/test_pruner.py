"""The service prunes by its settings; events and deliveries stay unless it is told otherwise."""

from dataclasses import replace
from datetime import timedelta

import pytest

from rankcast.errors import ModelError
from rankcast.model import Reject
from rankcast.service import Service, ServiceSettings
from rankcast.service.pruner import Pruner
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


def test_it_starts_and_ends_with_the_service(service: Service) -> None:
    service.start()
    service.pruner.stop()
    assert service.pruner.error is None
