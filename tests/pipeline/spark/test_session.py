"""A session is made for this machine or a cluster; one that exists, or that spark-submit decides, is taken as it is."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from rankcast.errors import EnvironmentProblem
from rankcast.pipeline.spark import local_session, session


class Builder:
    """Notes the settings of a session instead of starting it."""

    def config(self, map):  # noqa: A002  # the parameter's name
        self.settings = map
        return self

    def getOrCreate(self):  # Spark's name
        self.environment = dict(os.environ)
        return self.settings


@pytest.fixture
def settings_of(monkeypatch):
    """What `local_session` would start, in a process without a session."""
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(SparkSession, "builder", Builder())
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))

    def settings(**given):
        return local_session(settings={name.replace("_", "."): value for name, value in given.items()})

    return settings


def test_on_this_machine_it_is_bound_to_loopback(settings_of):
    made = settings_of()
    assert made["spark.master"] == "local[*]"
    assert made["spark.driver.host"] == made["spark.driver.bindAddress"] == "127.0.0.1"


def test_with_a_cluster_the_driver_has_the_address_towards_the_master(settings_of):
    made = settings_of(spark_master="spark://127.0.0.1:7077,127.0.0.2:7077")
    assert made["spark.driver.host"] == "127.0.0.1"
    assert "spark.driver.bindAddress" not in made
    assert settings_of(spark_master="k8s://https://127.0.0.1:6443")["spark.driver.host"] == "127.0.0.1"
    assert "spark.driver.host" not in settings_of(spark_master="yarn")
    assert (
        settings_of(spark_master="spark://127.0.0.1:7077", spark_driver_host="driver.example")["spark.driver.host"]
        == "driver.example"
    )


def test_with_a_cluster_the_driver_s_own_processes_find_what_is_installed_here(settings_of, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "theirs")
    settings_of(spark_master="spark://127.0.0.1:7077", spark_pyspark_python="python3.99")
    started = SparkSession.builder.environment
    assert started["PYSPARK_PYTHON"] == "python3.99"
    assert started["PYTHONPATH"].split(os.pathsep) == [place for place in sys.path if place]
    assert os.environ["PYTHONPATH"] == "theirs"


def test_a_master_that_cannot_be_found_is_named(settings_of, monkeypatch):
    def unknown(*args, **more):
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(session.socket, "getaddrinfo", unknown)
    with pytest.raises(EnvironmentProblem, match=r"no way from this machine to the master 'spark://nowhere:7077'"):
        settings_of(spark_master="spark://nowhere:7077")


@pytest.mark.parametrize("decided", ["PYSPARK_GATEWAY_PORT", "SPARK_REMOTE"])
def test_what_spark_submit_or_a_server_decides_stays(settings_of, monkeypatch, decided):
    monkeypatch.setenv(decided, "1")
    made = settings_of(spark_executor_cores="4")
    assert made.pop("spark.executor.cores") == "4"
    assert all(name.startswith("spark.sql.") for name in made)
    with pytest.raises(EnvironmentProblem, match="has chosen the master already"):
        settings_of(spark_master="spark://127.0.0.1:7077")


def test_a_session_that_exists_is_taken_as_it_is(settings_of, monkeypatch):
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: "theirs"))
    assert local_session() == "theirs"


SUBMITTED = """
from rankcast.pipeline.spark import local_session
spark = local_session()
print("taken:", spark.sparkContext.master, spark.sparkContext.appName, spark.conf.get("spark.sql.session.timeZone"))
"""


@pytest.mark.spark
def test_what_spark_submit_started_is_taken_as_it_is(tmp_path):
    (tmp_path / "job.py").write_text(SUBMITTED)
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    options = ["--master", "local[1]", "--name", "theirs", "--conf", "spark.ui.enabled=false"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    environment.pop("SPARK_HOME", None)
    done = subprocess.run(
        [submit, *options, tmp_path / "job.py"], capture_output=True, text=True, timeout=300, env=environment
    )
    assert "taken: local[1] theirs UTC" in done.stdout, done.stderr
