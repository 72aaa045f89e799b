"""What all tests share: one Spark session per process, and how tests are marked and grouped."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from kafka_broker import Broker
    from postgresql_server import Server
    from pyspark.sql import SparkSession

# The machine may be busy, so no example has a deadline and slow generation is no failure. CI tries the same examples
# every time; `make check` tries few (--hypothesis-profile=quick).
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("rankcast", _PATIENT)
settings.register_profile("ci", _PATIENT, derandomize=True)
settings.register_profile("quick", _PATIENT, max_examples=20)
settings.load_profile("ci" if os.environ.get("CI") else "rankcast")

# Every JVM of the tests lives for seconds: compiling its code well, or collecting garbage on all cores, costs more than it
# ever saves. Without these a pipeline that is started for a few events takes one and a half times the processor time.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

TESTS = Path(__file__).parent
LONG = (
    "engine/arrays",
    "cli/installation/test_digest_view.py",
    "cli/files/test_engines.py",
    "cli/test_main.py",
    "cover/test_box_poset.py",
    "cover/test_cells.py",
    "cover/test_fuzzy_orders.py",
    "cover/test_relation.py",
    "lab/datasets",
    "experiments",
    "fuzzy/test_batch_exact.py",
    "fuzzy/test_measures_exact.py",
    "fuzzy/test_mining.py",
    "engine/index",
    "overlay",
    "service/push/digests/test_making.py",
    "service/push/webhooks",
    "store",
)
"""What takes longest together; all of it is slow, so that `make check` stays under a minute."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses Spark and start it first, because it takes longest. Under xdist what shares the session or the broker is
    in one process, what starts Spark in processes of its own in another, and what shares the service and the browser in
    either."""
    for item in items:
        needs = set(getattr(item, "fixturenames", ()))
        if "spark" in needs:
            item.add_marker(pytest.mark.spark)
        if "kafka" in needs:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("spark") or "kafka" in needs:
            shares = needs & {"spark", "kafka"} or item.path.is_relative_to(TESTS / "cli")
            item.add_marker(pytest.mark.xdist_group("spark" if shares else "spark apart"))
        if item.path.is_relative_to(TESTS / "service" / "page"):
            item.add_marker(pytest.mark.xdist_group("page"))
        if any(item.path.is_relative_to(TESTS / place) for place in LONG):
            item.add_marker(pytest.mark.slow)
    # The fixture comes first: its session knows Kafka, and the commands that are tested in this process take it over. What
    # is quick comes last, so that both processes end at about the same time.
    items.sort(
        key=lambda item: (
            item.get_closest_marker("spark") is None,
            "spark" not in getattr(item, "fixturenames", ()),
            item.get_closest_marker("xdist_group") is None,
            item.get_closest_marker("slow") is None,
        )
    )


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """The local session that all tests of this process share; never stop it."""
    import kafka_broker

    from rankcast.pipeline.spark import local_session
    from rankcast.pipeline.spark.kafka import JARS, connector_settings

    settings = {}
    if kafka_broker.missing() is None:
        os.environ[JARS] = str(kafka_broker.JARS / "spark-kafka")
        settings = connector_settings()
    session = local_session(settings=settings)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgresql() -> "Iterator[Server]":
    """A PostgreSQL server, which ends with this process."""
    import postgresql_server

    if reason := postgresql_server.missing():
        pytest.skip(reason)
    with postgresql_server.server() as server:
        yield server


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Broker]":
    """A Kafka broker, which ends with this process."""
    import kafka_broker

    if reason := kafka_broker.missing():
        pytest.skip(reason)
    with kafka_broker.broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker
