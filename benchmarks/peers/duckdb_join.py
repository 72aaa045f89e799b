"""DuckDB: a plain join of events with predicates, counted; one thread."""

import duckdb
import pyarrow as pa
from common import run


def rows_of(subscriptions):
    """Rows of subscription, group (a conjunction of clauses), clause, number of clauses in the group, predicate."""
    for one in subscriptions:
        if one["dnf"]:
            for group, conjunction in enumerate(one["clauses"]):
                for clause, row in enumerate(conjunction):
                    yield one["id"], group, clause, len(conjunction), row
        else:
            for clause, alternatives in enumerate(one["clauses"]):
                for row in alternatives:
                    yield one["id"], 0, clause, len(one["clauses"]), row


def build(subscriptions):
    """The tables, and a function that joins a batch of events with them."""
    db = duckdb.connect()
    db.execute("set threads = 1")
    rows = list(rows_of(subscriptions))
    kinds = {"equal": [], "within": [], "inside": [], "front": []}
    names = {"=": "equal", "between": "within", "contains": "inside", "startswith": "front"}
    for row in rows:
        op, value = row[4][1], row[4][2]
        kinds["within" if not isinstance(value, str) else names[op]].append(row)
    for name, mine in kinds.items():
        columns = {key: [row[at] for row in mine] for at, key in enumerate(("s", "g", "c", "n"))}
        columns["a"] = [row[4][0] for row in mine]
        columns["v"] = pa.array([row[4][2] for row in mine], pa.int64() if name == "within" else pa.string())
        columns["w"] = pa.array([row[4][-1] for row in mine], columns["v"].type)
        made = pa.table(columns)  # noqa: F841
        db.execute(f"create table {name} as select * from made")
    # With one alternative per clause, and single values, a clause is hit once.
    plain = all(not one["dnf"] and all(len(clause) == 1 for clause in one["clauses"]) for one in subscriptions)
    count = "count(*)" if plain else "count(distinct c)"
    joins = ["select e, s, g, c, n from te join equal using (a, v)"]
    joins.append("select e, s, g, c, n from ne join within p on ne.a = p.a and ne.v between p.v and p.w")
    if kinds["inside"] or kinds["front"]:
        joins.append("select e, s, g, c, n from te join inside p on te.a = p.a and contains(te.v, p.v)")
        joins.append("select e, s, g, c, n from te join front p on te.a = p.a and starts_with(te.v, p.v)")
    query = f"""with hits as ({" union all ".join(joins)})
        select distinct e, s from (select e, s, g, n, {count} k from hits group by e, s, g, n) where k = n"""

    def match(events):
        cells = [(place, name, value) for place, event in enumerate(events) for name, value in event.items()]
        t = [cell for cell in cells if isinstance(cell[2], str)]
        n = [cell for cell in cells if not isinstance(cell[2], str)]
        te = pa.table({"e": [c[0] for c in t], "a": [c[1] for c in t], "v": pa.array([c[2] for c in t], pa.string())})  # noqa: F841
        ne = pa.table({"e": [c[0] for c in n], "a": [c[1] for c in n], "v": pa.array([c[2] for c in n], pa.int64())})  # noqa: F841
        found = db.execute(query).fetchnumpy()
        answers = [[] for _ in events]
        for e, s in zip(found["e"].tolist(), found["s"].tolist(), strict=True):
            answers[e].append(s)
        return answers

    return match


run(build, 20)
