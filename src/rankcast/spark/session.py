"""A Spark session for one machine, for those who do not bring their own."""

import os

from pyspark.sql import SparkSession

from rankcast.doctor import find_java
from rankcast.errors import EnvironmentProblem

__all__ = ["local_session"]


def local_session(cores: int | None = None, memory: str = "2g") -> SparkSession:
    """A quiet local session, bound to loopback, in UTC.

    Parameters
    ----------
    cores
        How many to use; all by default.
    memory
        The driver's memory, which in local mode is all of Spark's.

    Raises `EnvironmentProblem` if there is no Java 17 or newer.
    """
    java = find_java()
    if java is None:
        raise EnvironmentProblem(
            "Spark needs Java 17 or newer and none was found; install it (Debian: apt-get install "
            "openjdk-17-jre-headless) or set JAVA_HOME, then check with: rankcast doctor"
        )
    os.environ.setdefault("JAVA_HOME", str(java.home))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session: SparkSession = (
        SparkSession.builder.master(f"local[{cores or '*'}]")
        .appName("rankcast")
        .config("spark.driver.memory", memory)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session
