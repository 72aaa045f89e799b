"""Spark's daemon of Python workers, with all that our workers need imported: ``python -m rankcast.spark.daemon pyspark.worker``.

Spark forks its Python workers off this process, and starts some anew for every micro-batch; importing our packages there would
take each a second, here it takes one once. `local_session` asks for it; elsewhere set ``spark.python.daemon.module``.
"""

from pyspark.daemon import manager

import rankcast.spark.live.processor
import rankcast.spark.source  # noqa: F401

__all__: list[str] = []

if __name__ == "__main__":
    manager()
