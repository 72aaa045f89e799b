"""Spark's daemon for Python workers, with Rankcast preloaded.

Run as ``python -m rankcast.pipeline.spark.daemon pyspark.worker``. Spark forks its Python workers from this process,
and starts some for every micro-batch. Importing Rankcast takes about a second: here it happens once instead of in
every worker. `local_session` uses this daemon. In other sessions, set ``spark.python.daemon.module``.
"""

import pandas
from pyspark.daemon import manager

from rankcast.pipeline.spark import source, workers
from rankcast.pipeline.spark.live import processor

IMPORTED = (processor, source, workers, pandas)
"""The modules that every worker finds imported, together with everything they import.

pyarrow imports pandas before it makes its first array.
"""

if __name__ == "__main__":
    manager()
