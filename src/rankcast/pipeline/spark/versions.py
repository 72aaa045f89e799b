"""What differs between the releases of Spark that are supported, 4.1 to 4.3."""

from dataclasses import dataclass

__all__ = ["GIVES_STARTS", "ReadAllAvailable", "ReadLimit", "ReadMaxRows", "SupportsTriggerAvailableNow"]

try:
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadLimit,
        ReadMaxRows,
        SupportsTriggerAvailableNow,
    )

    GIVES_STARTS = True
    """Whether Spark tells the reader of a stream where a micro-batch starts and how many rows it may have at most."""
except ImportError:  # Spark 4.1 asks for the last offset alone
    GIVES_STARTS = False

    class ReadLimit:  # type: ignore[no-redef]
        """How much a micro-batch may read."""

    @dataclass(frozen=True)
    class ReadAllAvailable(ReadLimit):  # type: ignore[no-redef]
        """Everything that there is."""

    @dataclass(frozen=True)
    class ReadMaxRows(ReadLimit):  # type: ignore[no-redef]
        """A maximum number of rows."""

        max_rows: int

    class SupportsTriggerAvailableNow:  # type: ignore[no-redef]
        """A reader that can stop at what exists now."""
