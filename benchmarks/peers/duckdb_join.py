"""DuckDB: a plain join of events with predicates, counted; one thread."""

import duckdb
import pyarrow as pa
from common import refuse, run


def build(subscriptions):
    """The tables, and what joins a batch of events with them."""
    if any(
        one["dnf"] or any(len(c) > 1 or c[0][1] not in ("=", "between") for c in one["clauses"])
        for one in subscriptions
    ):
        refuse("alternatives and patterns do not fit the counting join")
    rows = [(one["id"], *clause[0]) for one in subscriptions for clause in one["clauses"]]
    db = duckdb.connect()
    db.execute("set threads = 1")
    texts = [row for row in rows if isinstance(row[3], str)]
    numbers = [row for row in rows if not isinstance(row[3], str)]
    text_rows = pa.table({"s": [r[0] for r in texts], "a": [r[1] for r in texts], "v": [r[3] for r in texts]})  # noqa: F841
    number_rows = pa.table(  # noqa: F841
        {
            "s": [r[0] for r in numbers],
            "a": [r[1] for r in numbers],
            "lo": [r[3] for r in numbers],
            "hi": [r[-1] for r in numbers],
        }
    )
    sizes = pa.table({"s": [o["id"] for o in subscriptions], "n": [len(o["clauses"]) for o in subscriptions]})  # noqa: F841
    for name in ("text_rows", "number_rows", "sizes"):
        db.execute(f"create table {name}_ as select * from {name}")

    def match(events):
        cells = [(place, name, value) for place, event in enumerate(events) for name, value in event.items()]
        t = [cell for cell in cells if isinstance(cell[2], str)]
        n = [cell for cell in cells if not isinstance(cell[2], str)]
        te = pa.table({"e": [c[0] for c in t], "a": [c[1] for c in t], "v": [c[2] for c in t]})  # noqa: F841
        ne = pa.table({"e": [c[0] for c in n], "a": [c[1] for c in n], "v": [c[2] for c in n]})  # noqa: F841
        found = db.execute(
            """with hits as (
                   select e, s from te join text_rows_ using (a, v)
                   union all
                   select e, s from ne join number_rows_ p on ne.a = p.a and ne.v between p.lo and p.hi)
               select e, s from (select e, s, count(*) c from hits group by e, s) join sizes_ using (s) where c = n"""
        ).fetchnumpy()
        answers = [[] for _ in events]
        for e, s in zip(found["e"].tolist(), found["s"].tolist(), strict=True):
            answers[e].append(s)
        return answers

    return match


run(build, 20)
