"""What all tests share: one Spark session per process, and how tests are marked and grouped."""

import gc
import json
import os
import signal
from collections import Counter
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

# The tests' own processes would starve trials that stand back behind them.
os.environ.setdefault("RANKCAST_TRIAL_NICE", "0")

TESTS = Path(__file__).parent
DURATIONS = TESTS / "durations.json"
"""How many seconds each test function took that took long, all its cases together; `make durations` measures them."""

QUICK = 0.1
"""Functions that take longer are slow: `make check` leaves them out, so that it runs every package in about a minute."""

_measured: Counter[str] = Counter()
_failed: dict[str, None] = {}
_FAILURES = os.environ.pop("RANKCAST_FAILED", None)
"""Where `scripts/test` wants the names of failed tests; processes that tests start do not inherit it."""


def pytest_configure() -> None:
    """Heed Ctrl-C: a shell lets what it runs in the background ignore it, and tests send it to their processes."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # until everything is collected: imports make millions of objects, and none of them is garbage


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave modules and collected tests out of later garbage collections; pytest alone makes five at the end."""
    if any(item.get_closest_marker("spark") for item in session.items):
        _map_classes()
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses Spark or is slow, group what shares the session or the broker, and what starts Spark in processes of its
    own, and start with the group or file that takes longest, so that all processes end at about the same time."""
    known = json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}
    for item in items:
        needs = set(getattr(item, "fixturenames", ()))
        if "spark" in needs:
            item.add_marker(pytest.mark.spark)
        if "kafka" in needs or _function(item.nodeid) in known:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("spark") or "kafka" in needs:
            shares = needs & {"spark", "kafka"} or item.path.is_relative_to(TESTS / "cli")
            item.add_marker(pytest.mark.xdist_group("spark" if shares else "spark apart"))
    seconds: Counter[str] = Counter()
    for together, function in dict.fromkeys((_together(item), _function(item.nodeid)) for item in items):
        seconds[together] += known.get(function, 0)
    # The fixture comes first: its session knows Kafka, and the commands that are tested in this process take it over.
    items.sort(
        key=lambda item: (
            -seconds[_together(item)],
            _together(item),
            "spark" not in getattr(item, "fixturenames", ()),
        )
    )


def _together(item: pytest.Item) -> str:
    """What one process runs: a group, or a whole file, so that what its tests share is prepared once."""
    groups = {mark.args[0] for mark in item.iter_markers("xdist_group")}
    return "_".join(sorted(groups)) or item.nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give a process a group or a file at a time. xdist itself would spread the tests of a file over all processes."""
    from xdist.scheduler import LoadGroupScheduling

    class Scheduling(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            test = _without_group(nodeid)
            return nodeid.partition("::")[0] if test == nodeid else nodeid.removeprefix(test)

    return Scheduling(config, log)


def _map_classes() -> None:
    """Let every JVM of the tests map Spark's classes from the archive, if there is one: masters, workers and executors of a
    cluster and sessions that are not ours take 4 s of processor time less. Java ignores an archive that does not fit.
    """
    from rankcast.pipeline.doctor import find_java
    from rankcast.pipeline.spark.home import archive_options, fast_home

    if (java := find_java()) is not None:
        options = [os.environ["JDK_JAVA_OPTIONS"], *archive_options(fast_home(), java)]
        os.environ["JDK_JAVA_OPTIONS"] = " ".join(options)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what each test function takes, preparations included, and note what fails."""
    _measured[_function(report.nodeid)] += report.duration
    if report.failed:
        _failed[_without_group(report.nodeid)] = None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep durations and failures if asked for; under xdist the first process has all of them."""
    if hasattr(session.config, "workerinput"):
        return
    if _FAILURES:
        Path(_FAILURES).write_text("".join(f"{test}\n" for test in _failed))
    if os.environ.get("RANKCAST_DURATIONS"):
        slow = {name: round(seconds, 1) for name, seconds in sorted(_measured.items()) if seconds > QUICK}
        DURATIONS.write_text(json.dumps(slow, indent=1) + "\n")


def _function(nodeid: str) -> str:
    """A test function without its parameters and its group, as it is named from the tests' folder."""
    return _without_group(nodeid).removeprefix("tests/").partition("[")[0]


def _without_group(nodeid: str) -> str:
    """A test as pytest names it. xdist appends `@` and the group, if there is one; parameters end with a bracket."""
    test, _, group = nodeid.rpartition("@")
    return nodeid if not test or group.endswith("]") else test


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
