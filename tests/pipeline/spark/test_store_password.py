"""What Spark says about a store does not hold its password."""

from rankcast.pipeline.spark.failures import explain

URL = "postgresql://ann:s3cret@host/db"


def test_an_error_of_ours_that_came_through_spark() -> None:
    told = explain(Exception(f"[STREAM_FAILED]\nrankcast.errors.StoreError: the store {URL!r} failed\n\n"))
    assert str(told) == "the store 'postgresql://ann:***@host/db' failed"


def test_a_damaged_checkpoint_that_is_explained_by_spark_s_line() -> None:
    told = explain(Exception(f"Incomplete log file of {URL} and password=s3cret"), "place")
    assert "s3cret" not in str(told)
    assert "Incomplete log file" in str(told)
