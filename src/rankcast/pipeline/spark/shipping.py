"""Functions on their way to Spark's Python workers, which may lack this package."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from pyspark import cloudpickle

_T = TypeVar("_T")
code_of: Callable[[object], bytes] = cloudpickle.dumps
"""An object as bytes, with the code that other processes lack."""


def shipped(function: Callable[..., Iterator[_T]], **arguments: object) -> Callable[[Iterator[_T]], Iterator[_T]]:
    """A function of batches with these arguments, for `mapInArrow`. A worker without this package says so.

    Spark sends the returned function as code and not by its name, because a worker can read only that without the
    package. Without this, the job of a plain session fails inside Spark with ``No module named 'rankcast'``.
    """
    content = code_of(partial(function, **arguments))

    def run(batches: Iterator[_T]) -> Iterator[_T]:
        import pickle
        import sys

        try:
            step: Callable[[Iterator[_T]], Iterator[_T]] = pickle.loads(content)  # noqa: S301  from the driver, as all code is
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"the Python of Spark's workers ({sys.executable}) has no package {error.name!r}. "
                "Install rankcast on every node, or point spark.pyspark.python to a Python that has it, or send "
                "an environment with spark.archives. On one machine, rankcast.pipeline.spark.local_session() makes a "
                "session that has it."
            ) from None
        return step(batches)

    run.__annotations__ = {}  # they would be sent by name
    return run
