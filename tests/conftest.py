"""What all tests share: one Spark session per process, and how tests are marked and grouped."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The machine that runs the tests may be busy, so no example has a deadline; CI tries the same examples every time.
settings.register_profile("rankcast", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "rankcast")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses Spark, keep it in one process under xdist, and start it first: it takes longest."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """The local session that all tests of this process share; never stop it."""
    from rankcast.spark import local_session

    session = local_session()
    yield session
    session.stop()
