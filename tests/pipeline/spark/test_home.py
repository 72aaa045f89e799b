"""Spark starts from a home in which its processes start fast, and these import little."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pyspark
import pytest
from pyspark import cloudpickle
from pyspark.sql import functions as f

from rankcast.pipeline.doctor import JavaRuntime
from rankcast.pipeline.spark import home
from rankcast.pipeline.spark.live.processor import ShardProcessor
from rankcast.pipeline.spark.live.requests import HostSettings
from rankcast.pipeline.spark.sinks import TaskSink, write_part

LIGHT = {
    "rankcast.pipeline.spark": {"pyspark", "pyarrow", "sqlalchemy", "pandas", "numpy", "rankcast.store"},
    "rankcast.pipeline.spark.live.processor": {"pyarrow", "sqlalchemy", "pandas", "numpy", "rankcast.store"},
    "rankcast.pipeline.spark.source": {"sqlalchemy", "pandas", "rankcast.store", "rankcast.choose"},
}
"""What Spark imports in processes that live for one question, and what these must not load."""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    return tmp_path


@pytest.mark.parametrize("module", LIGHT)
def test_a_process_for_one_question_imports_little(module):
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not LIGHT[module] & {*run.stdout.split()}


def test_the_operator_is_read_without_what_it_writes_with():
    settings = HostSettings("run", "", 1, "", is_log=True, is_json=False, lateness=None, journal=1)
    operator = ShardProcessor(settings, {0: 0}, b"", partial(write_part, sinks=[TaskSink()], store=0))
    code = "import pickle, sys; pickle.load(sys.stdin.buffer); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], input=cloudpickle.dumps(operator), capture_output=True, check=True
    )
    assert not LIGHT[ShardProcessor.__module__] & {*run.stdout.decode().split()}


def test_it_has_everything_but_the_zipped_python(cache):
    made = home.fast_home()
    own = Path(pyspark.__file__).parent
    assert {each.name for each in made.iterdir()} == {each.name for each in own.iterdir()} - {"python"}
    assert (made / "jars").resolve() == (own / "jars").resolve()
    assert home.fast_home() == made


def test_another_spark_another_python_and_no_place_are_respected(cache, monkeypatch):
    (cache / "rankcast").write_text("not a folder")
    assert home.fast_home() is None
    (cache / "rankcast").unlink()
    monkeypatch.setenv("PYSPARK_PYTHON", "python3.99")
    assert home.fast_home() is None
    monkeypatch.delenv("PYSPARK_PYTHON")
    monkeypatch.setenv("SPARK_HOME", "elsewhere")
    assert home.fast_home() is None


def test_it_is_taken_only_while_the_jvm_starts(cache):
    with home.starting_at(cache):
        assert os.environ["SPARK_HOME"] == str(cache)
    assert "SPARK_HOME" not in os.environ
    with home.starting_at(None):
        assert "SPARK_HOME" not in os.environ


def test_an_archive_is_for_one_java_and_used_if_it_exists(tmp_path):
    java = JavaRuntime(tmp_path, "17.0.1", "test")
    assert home.archive_options(None, java) == home.archive_options(tmp_path, java) == []
    home._archive(tmp_path, java).touch()
    assert home.archive_options(tmp_path, java)[0] == f"-XX:SharedArchiveFile={home._archive(tmp_path, java)}"
    assert home.archive_options(tmp_path, JavaRuntime(tmp_path, "17.0.2", "test")) == []


def test_workers_import_the_installed_pyspark(spark):
    @f.udf("string")
    def origin(_):
        import pyspark

        return pyspark.__file__

    assert spark.range(1).select(origin("id")).first()[0] == pyspark.__file__
