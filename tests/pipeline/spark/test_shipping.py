"""A worker without this package says what it lacks, also in a session that the user made."""

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
import os, sys
from pyspark.sql import SparkSession
import rankcast as rc
for python in sys.argv[1:]:
    os.environ["PYSPARK_PYTHON"] = python
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.conf.set("spark.sql.shuffle.partitions", 1)
    films = spark.createDataFrame([("m1", "2026-01-01", "drama")], "id string, time string, genre string")
    print(rc.deliver(films, rc.user("ann").wants("genre = 'drama'")).toPandas())
    spark.stop()
"""


@pytest.fixture
def bare(tmp_path):
    """A Python that does not find this package."""
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return python


def run(python, code, *arguments):
    return subprocess.run([python, "-c", code, *arguments], capture_output=True, text=True, timeout=300)


def test_the_function_is_read_without_the_package(bare, tmp_path):
    (tmp_path / "step").write_bytes(cloudpickle.dumps(shipped(pack)))
    code = f"import pickle; pickle.load(open({str(tmp_path / 'step')!r}, 'rb'))(iter([]))"
    assert run(sys.executable, code).returncode == 0
    failed = run(bare, code)
    assert "has no package 'rankcast'" in failed.stderr.splitlines()[-1]
    assert str(sys.executable) in failed.stderr


@pytest.mark.spark
def test_a_plain_session_with_and_without_the_package_on_its_workers(bare):
    failed = run(sys.executable, PLAIN, sys.executable, bare)
    assert failed.stdout.count("m1") == 1
    assert failed.returncode == 1
    assert "has no package 'rankcast'. Install rankcast on every node" in failed.stderr
