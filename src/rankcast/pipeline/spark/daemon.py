"""Spark's daemon of Python workers, with all that our workers need imported: ``python -m rankcast.pipeline.spark.daemon pyspark.worker``.

Spark forks its Python workers off this process, and starts some anew for every micro-batch; importing our packages there would
take each a second, here it takes one once. `local_session` asks for it; elsewhere set ``spark.python.daemon.module``.
"""

from pyspark.daemon import manager

from rankcast.pipeline.spark import source
from rankcast.pipeline.spark.live import processor

__all__ = ["IMPORTED"]

IMPORTED = (processor, source)
"""What every worker finds imported, with all that these import."""

if __name__ == "__main__":
    manager()
