"""What changes of one owner's records may cost."""

import re
from pathlib import Path

import pytest

import rankcast.service
from rankcast.errors import CatalogError
from rankcast.language import decode_record
from rankcast.pipeline.local import CommittedBatch
from rankcast.service.change_costs import ChangeCosts, owners_of
from rankcast.service.problems import Problem


def test_what_the_pipeline_spends_on_changes_is_charged_to_whose_they_are() -> None:
    now = [0.0]
    costs = ChangeCosts(rate=0.1, burst=1.0, clock=lambda: now[0])
    for version in (1, 2):
        assert costs.run(["mallory"], lambda version=version: version) == version
    costs.run(["ann"], lambda: 3)
    costs.served(CommittedBatch(1, 1, 0, version=2, change_seconds=1.5))
    with pytest.raises(Problem, match=r"changes of the records of 'mallory'.*try again in [0-9.]+ s") as refused:
        costs.run(["mallory"], lambda: 4)
    assert refused.value.status == 429
    costs.run(["ann"], lambda: 4)
    now[0] = float(refused.value.headers["Retry-After"]) + 1
    costs.run(["mallory"], lambda: 5)


def test_changes_between_events_are_charged_at_once_by_what_the_last_ones_cost() -> None:
    now = [0.0]
    costs = ChangeCosts(rate=0.1, burst=1.0, clock=lambda: now[0])
    costs.run(["mallory"], lambda: 1)
    costs.served(CommittedBatch(1, 1, 0, version=1, change_seconds=0.2))
    for _ in range(3):
        costs.run(["mallory"], lambda: 2)
    with pytest.raises(Problem):
        _ = [costs.run(["mallory"], lambda: 2) for _ in range(3)]
    costs.served(CommittedBatch(2, 1, 0, version=2, change_seconds=0.0))  # all of them at once, and for nothing
    costs.run(["mallory"], lambda: 3)


def test_changes_without_events_cost_the_pipeline_nothing() -> None:
    costs = ChangeCosts(rate=0.1, burst=1.0)
    for version in range(1_000):
        costs.run(["ann"], lambda version=version: version)


def test_a_change_that_fails_is_charged_too() -> None:
    costs = ChangeCosts(rate=0.001, burst=0.0001)

    def fail() -> int:
        sum(range(200_000))
        raise CatalogError("refused")

    with pytest.raises(CatalogError):
        costs.run(["ann"], fail)
    with pytest.raises(Problem):
        costs.run(["ann"], lambda: 1)


def test_owners_are_users_and_publishers() -> None:
    records = [
        {"kind": "subscription", "id": "s", "user": "ann", "where": "x = 1"},
        {"kind": "policy", "user": "ann"},
        {"kind": "advertisement", "id": "a", "publisher": "imdb", "where": "x = 1", "k": 3},
    ]
    decoded = [decode_record(record) for record in records]
    assert owners_of(decoded) == ["ann", "imdb"]


def test_everything_that_changes_records_for_a_caller_is_charged() -> None:
    service = Path(rankcast.service.__file__).parent
    files = [path for folder in ("api", "page") for path in (service / folder).rglob("*.py")]
    assert len(files) > 50
    around = [path.name for path in files if re.search(r"store\.(change|decide)\(", path.read_text())]
    assert around == [], "call Service.put, remove or decide instead, which charge the owner"
