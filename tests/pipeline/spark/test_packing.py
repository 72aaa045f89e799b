"""What executors need, in one archive. `test_cluster.py` runs a job and a pipeline with it."""

import pytest

from rankcast.errors import EnvironmentProblem
from rankcast.pipeline.spark.packing import needed, pack_libraries


def test_the_archive_has_rankcast_and_what_it_needs_without_pyspark(tmp_path):
    names = {one.name.lower() for one in needed()}
    assert {"numba", "llvmlite", "pyarrow", "pandas", "sqlalchemy", "msgspec", "psycopg", "psycopg-binary"} <= names
    assert not {"pyspark", "rankcast", "pytest", "fastapi"} & names
    with pytest.raises(EnvironmentProblem, match=r"must end in \.tar\.gz"):
        pack_libraries(tmp_path / "libraries.zip")
