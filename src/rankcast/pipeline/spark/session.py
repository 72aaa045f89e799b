"""A local Spark session, for users who do not bring their own."""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from rankcast.errors import EnvironmentProblem
from rankcast.pipeline.doctor import find_java

__all__ = ["local_session"]

_LOGGING = Path(__file__).with_name("log4j2.properties")


_LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def local_session(
    cores: int | None = None, memory: str = "2g", settings: Mapping[str, str] | None = None, is_light: bool = False
) -> SparkSession:
    """A quiet local session, bound to loopback, in UTC. Spark's own log goes to a file in the temporary folder.

    Parameters
    ----------
    cores
        The number of cores; all by default.
    memory
        The driver's memory, which in local mode is all of Spark's memory.
    settings
        Additional Spark settings, which override these; also ``spark.master``, for a remote engine.
    is_light
        For a live pipeline, which does its work in Python. The JVM only passes data on, so it uses the fast compiler
        and collects garbage with one thread. This leaves the cores to the shards.

    Raises `EnvironmentProblem` if there is no Java 17 or newer.
    """
    java = find_java()
    if java is None:
        raise EnvironmentProblem(
            "Spark needs Java 17 or newer and none was found; install it (Debian: apt-get install "
            "openjdk-17-jre-headless) or set JAVA_HOME, then check with: rankcast doctor"
        )
    options = [f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}", *([_LIGHT] if is_light else [])]
    os.environ["JAVA_HOME"] = str(java.home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with _started_quietly():
        builder = (
            SparkSession.builder.master(f"local[{cores or '*'}]")
            .appName("rankcast")
            .config("spark.driver.memory", memory)
            .config("spark.driver.extraJavaOptions", " ".join(options))
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.python.daemon.module", "rankcast.pipeline.spark.daemon")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.session.timeZone", "UTC")
            .config(
                "spark.sql.streaming.stateStore.providerClass",
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
            )
        )
        return builder.config(map=dict(settings or {})).getOrCreate()


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
