"""A worker knows the cores of its executor."""

import os
import subprocess
import sys

import pytest

ASK = "from rankcast.pipeline.spark.executors import executor_cores; print(executor_cores())"
# Three processes, as in Spark: the executor, the daemon, the worker.
CHAIN = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {ASK!r}], check=True)"
EXECUTOR = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHAIN!r}], check=True)"


def cores(*arguments):
    done = subprocess.run([sys.executable, "-c", EXECUTOR, *arguments], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_executor_is_told_its_cores():
    assert cores("org.apache.spark.executor.CoarseGrainedExecutorBackend", "--cores", "3", "--app-id", "a") == 3


def test_elsewhere_they_are_those_of_the_machine():
    assert cores("org.apache.spark.deploy.SparkSubmit", "--cores", "3") == len(os.sched_getaffinity(0))
