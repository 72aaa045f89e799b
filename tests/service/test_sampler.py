"""The service samples its store for the monitor, whether somebody looks or not."""

import logging
import time
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from rankcast.errors import StoreError
from rankcast.service.sampler import Sampler
from rankcast.store import ActivityLog, Store


def test_a_service_without_visitors_keeps_its_history(client: TestClient) -> None:
    store: Store = client.app.state.service.store
    log = ActivityLog(store.database)
    for _ in range(1000):
        if log.over(timedelta(minutes=10))[0]:
            break
        time.sleep(0.01)
    assert [sample.published for sample in log.over(timedelta(minutes=10))[0]] == [0]


def test_a_sample_that_fails_is_a_gap(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(database: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("rankcast.service.sampler.status", fail)
    sampler = Sampler(client.app.state.service.store)
    with caplog.at_level(logging.WARNING):
        sampler.start()
        for _ in range(1000):
            if caplog.messages:
                break
            time.sleep(0.01)
        sampler.stop()
    assert caplog.messages == ["no sample: the disk is full"]
