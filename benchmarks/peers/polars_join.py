"""Polars: equalities by a hash join, ranges by a join on the attribute and a filter; counted; one thread."""

import os

os.environ["POLARS_MAX_THREADS"] = "1"

import polars as pl
from common import refuse, run


def build(subscriptions):
    """The frames, and a function that joins a batch of events with them."""
    if any(
        one["dnf"] or any(len(c) > 1 or c[0][1] not in ("=", "between") for c in one["clauses"])
        for one in subscriptions
    ):
        refuse("alternatives and patterns do not fit the counting join")
    rows = [(one["id"], *clause[0]) for one in subscriptions for clause in one["clauses"]]
    equal = [(r[0], r[1], str(r[3])) for r in rows if r[2] == "="]
    ranges = [(r[0], r[1], r[3], r[4]) for r in rows if r[2] == "between"]
    equal_rows = pl.DataFrame(equal, schema={"s": pl.Int32, "a": pl.String, "v": pl.String}, orient="row")
    range_rows = pl.DataFrame(
        ranges, schema={"s": pl.Int32, "a": pl.String, "lo": pl.Int32, "hi": pl.Int32}, orient="row"
    )
    sizes = pl.DataFrame({"s": [o["id"] for o in subscriptions], "n": [len(o["clauses"]) for o in subscriptions]})
    sizes = sizes.cast({"s": pl.Int32, "n": pl.UInt32})

    def match(events):
        cells = [(e, name, value) for e, event in enumerate(events) for name, value in event.items()]
        texts = pl.DataFrame(
            [(e, a, str(v)) for e, a, v in cells], schema={"e": pl.Int32, "a": pl.String, "v": pl.String}, orient="row"
        )
        numbers = pl.DataFrame(
            [cell for cell in cells if not isinstance(cell[2], str)],
            schema={"e": pl.Int32, "a": pl.String, "x": pl.Int32},
            orient="row",
        )
        hits = [texts.join(equal_rows, on=["a", "v"]).select("e", "s")]
        for attribute in numbers["a"].unique():
            mine = range_rows.filter(pl.col("a") == attribute)
            within = numbers.filter(pl.col("a") == attribute).join_where(
                mine.select("s", "lo", "hi"), pl.col("x") >= pl.col("lo"), pl.col("x") <= pl.col("hi")
            )
            hits.append(within.select("e", "s"))
        found = pl.concat(hits).group_by("e", "s").len("c").join(sizes, on="s").filter(pl.col("c") == pl.col("n"))
        answers = [[] for _ in events]
        for e, s in zip(found["e"].to_list(), found["s"].to_list(), strict=True):
            answers[e].append(s)
        return answers

    return match


run(build, 20)
