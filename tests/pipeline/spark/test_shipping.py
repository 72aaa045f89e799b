"""A worker without this package says what it lacks, also in a session that the user made."""

import os
import subprocess
import sys

import pytest
from pyspark import cloudpickle

from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.workers import pack

HIDING = """
import sys
class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name == "rankcast":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hiding())
"""

PLAIN = """
from pyspark.sql import SparkSession
import rankcast as rc
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
films = spark.createDataFrame([("m1", "2026-01-01", "drama")], "id string, time string, genre string")
print(rc.deliver(films, rc.user("ann").wants("genre = 'drama'")).toPandas())
"""


@pytest.fixture
def bare(tmp_path):
    """A Python that does not find this package."""
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return python


def run(python, code, **more):
    return subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=300, **more)


def test_the_function_is_read_without_the_package(bare, tmp_path):
    (tmp_path / "step").write_bytes(cloudpickle.dumps(shipped(pack)))
    code = f"import pickle; pickle.load(open({str(tmp_path / 'step')!r}, 'rb'))(iter([]))"
    assert run(sys.executable, code).returncode == 0
    failed = run(bare, code)
    assert "has no package 'rankcast'" in failed.stderr.splitlines()[-1]
    assert str(sys.executable) in failed.stderr


@pytest.mark.spark
def test_a_plain_session_with_and_without_the_package_on_its_workers(bare):
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    assert "m1" in run(sys.executable, PLAIN, env=environment).stdout
    failed = run(sys.executable, PLAIN, env={**environment, "PYSPARK_PYTHON": str(bare)})
    assert failed.returncode == 1
    assert "has no package 'rankcast'. Install rankcast on every node" in failed.stderr
