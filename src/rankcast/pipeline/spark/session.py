"""A Spark session for users who do not bring their own: on this machine, or with a cluster."""

import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from pyspark.sql import SparkSession

from rankcast.errors import EnvironmentProblem
from rankcast.pipeline.doctor import find_java
from rankcast.pipeline.spark.home import archive_options, fast_home, starting_at

_LOGGING = Path(__file__).with_name("log4j2.properties")


_LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_OF_SQL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}
"""What a session of our own sets, also if `spark-submit` or a server of Spark Connect has decided everything else."""

_HOST = re.compile(r"(?:spark|k8s)://(?:https?://)?(?P<host>\[[^\]]+\]|[^:/,]+)(?::(?P<port>\d+))?")


def local_session(
    cores: int | None = None, memory: str = "2g", settings: Mapping[str, str] | None = None, is_light: bool = False
) -> SparkSession:
    """A quiet session in UTC, on this machine unless the settings name a master.

    Parameters
    ----------
    cores
        The number of cores; all by default.
    memory
        The driver's memory, which in local mode is all of Spark's memory.
    settings
        Additional Spark settings, which override these; also ``spark.master``, for a cluster.
    is_light
        For a live pipeline, which does its work in Python. The JVM only passes data on, so it uses the fast compiler
        and collects garbage with one thread. This leaves the cores to the shards.

    A session that exists already is taken as it is. So is what `spark-submit` has decided, or the server that
    ``SPARK_REMOTE`` names. A local session is bound to loopback. With a cluster, executors reach the driver at the
    address that this machine has on the route to the master; ``spark.driver.host`` in the settings overrides it.
    Spark's own log goes to a file in the temporary folder. Raises `EnvironmentProblem` if there is no Java 17 or newer,
    or if the master cannot be reached.
    """
    given = dict(settings or {})
    existing = SparkSession.getActiveSession()
    if existing is not None and not given:
        return existing
    if "PYSPARK_GATEWAY_PORT" in os.environ or "SPARK_REMOTE" in os.environ:
        if "spark.master" in given:
            by = "spark-submit" if "PYSPARK_GATEWAY_PORT" in os.environ else "SPARK_REMOTE"
            raise EnvironmentProblem(
                f"{by} has chosen the master already; leave out the master {given['spark.master']!r}"
            )
        return SparkSession.builder.config(map={**_OF_SQL, **given}).getOrCreate()
    java = find_java()
    if java is None:
        raise EnvironmentProblem(
            "Spark needs Java 17 or newer and none was found; install it (Debian: apt-get install "
            "openjdk-17-jre-headless) or set JAVA_HOME, then check with: rankcast doctor"
        )
    master = given.get("spark.master", f"local[{cores or '*'}]")
    is_local = master.startswith("local")
    home = fast_home() if is_local else None
    fast = archive_options(home, java)
    options = [f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}", *([_LIGHT] if is_light else []), *fast]
    os.environ["JAVA_HOME"] = str(java.home)
    os.environ.setdefault("PYSPARK_PYTHON", given.get("spark.pyspark.python", sys.executable))
    if is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    own = {
        "spark.master": master,
        "spark.app.name": "rankcast",
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": " ".join(options),
        "spark.executor.extraJavaOptions": " ".join(fast),
        "spark.python.daemon.module": "rankcast.pipeline.spark.daemon",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **_OF_SQL,
        **_driver_address(master),
    }
    with _started_quietly(), starting_at(home), nullcontext() if is_local else _sharing_libraries():
        return SparkSession.builder.config(map={**own, **given}).getOrCreate()


def _driver_address(master: str) -> dict[str, str]:
    """Where executors find the driver. Spark chooses if the master names no host, as YARN."""
    if master.startswith("local"):
        return {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    found = _HOST.match(master)
    if found is None:
        return {}
    host, port = found["host"].strip("[]"), int(found["port"] or 443)
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:  # connecting it sends nothing, but asks for the route
            probe.connect(address)
            return {"spark.driver.host": probe.getsockname()[0]}
    except OSError as error:
        raise EnvironmentProblem(f"there is no way from this machine to the master {master!r}: {error}") from error


@contextmanager
def _sharing_libraries() -> Iterator[None]:
    """Let the Python processes that the driver's JVM starts find what is installed here.

    Spark starts them with the Python that executors have (``spark.pyspark.python``), which may have no libraries.
    """
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


@contextmanager
def _started_quietly() -> Iterator[None]:
    """Start the JVM with a file as its stderr. If it cannot start, show what it printed."""
    with tempfile.NamedTemporaryFile(prefix="rankcast-spark-", suffix=".log", delete=False) as log:
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            yield
        except Exception as error:
            said = Path(log.name).read_text(errors="replace").strip()
            raise EnvironmentProblem(f"Spark did not start: {error}\n{said}") from error
        finally:
            os.dup2(kept, 2)
            os.close(kept)
