"""A fresh store for each test, which runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from rankcast.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> Iterator[str]:
    """Where a store can be created: a path, or a URL."""
    if request.param == "sqlite":
        yield str(tmp_path / "store.db")
        return
    with request.getfixturevalue("postgresql").place() as url:
        yield url


@pytest.fixture
def store(place) -> Iterator[Store]:
    with Store.create(place) as store:
        yield store
