"""A plain counting join in Spark SQL, as in DuckDB; one core. The CPU time is that of the Java process."""

import json
import os
import sys
from pathlib import Path

from common import CHECKED, read, refuse


def java_seconds(pid):
    """Processor time of a process so far."""
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def main():
    """Build, match, report."""
    from pyspark.sql import SparkSession

    subscriptions, events = read()
    if any(
        one["dnf"] or any(len(c) > 1 or c[0][1] not in ("=", "between") for c in one["clauses"])
        for one in subscriptions
    ):
        refuse("alternatives and patterns do not fit the counting join")
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    pid = session.sparkContext._jvm.ProcessHandle.current().pid()
    began = java_seconds(pid)
    import pandas as pd

    rows = [(o["id"], r[0][0], str(r[0][2]) if r[0][1] == "=" else None, r[0][2], r[0][-1], len(o["clauses"]))
            for o in subscriptions for r in o["clauses"]]  # fmt: skip
    frame = pd.DataFrame(
        [(s, a, v, lo if v is None else None, hi if v is None else None, n) for s, a, v, lo, hi, n in rows],
        columns=["s", "a", "v", "lo", "hi", "n"],
    )
    frame["s"], frame["n"] = frame["s"].astype("int32"), frame["n"].astype("int32")
    session.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    made = session.createDataFrame(frame, "s int, a string, v string, lo double, hi double, n int").cache()
    made.createOrReplaceTempView("p")
    made.count()
    built = java_seconds(pid) - began
    budget, done, spent, answers = float(sys.argv[3]), 0, 0.0, []
    while done < len(events) and spent < budget:
        part = events[done : done + CHECKED]
        cells = [
            (e, a, str(v), None if isinstance(v, str) else float(v))
            for e, one in enumerate(part)
            for a, v in one.items()
        ]
        began = java_seconds(pid)
        session.createDataFrame(cells, "e int, a string, t string, x double").createOrReplaceTempView("ev")
        found = session.sql(
            """select e, s from (
                   select e, s, n from ev join p on ev.a = p.a and ev.t = p.v
                   union all
                   select e, s, n from ev join p on ev.a = p.a and ev.x between p.lo and p.hi)
               group by e, s, n having count(*) = n"""
        ).toArrow()
        spent += java_seconds(pid) - began
        if not done:
            answers = [[] for _ in part]
            for e, s in zip(found["e"].to_pylist(), found["s"].to_pylist(), strict=True):
                answers[e].append(s)
        done += len(part)
    Path(sys.argv[4]).write_text("".join(json.dumps(sorted(ids)) + "\n" for ids in answers))
    print(json.dumps({"build": built, "events": done, "seconds": spent}))


main()
