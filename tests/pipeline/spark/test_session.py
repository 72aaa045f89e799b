"""A session is made for this machine or a cluster; one that exists, or that spark-submit decides, is taken as it is."""

import socket

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
