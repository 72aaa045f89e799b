"""The example of README.md on Spark, run as it stands there, in the session that the tests share."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[3]


def test_the_snippet_runs(spark, tmp_path, monkeypatch, capsys):
    section = (ROOT / "README.md").read_text().split("## On Spark")[1]
    snippet = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    times = pa.array([0, 86_400_000_000], pa.timestamp("us", "UTC"))
    films = {"id": [1, 2], "time": times, "title": ["Laura", "Alien"], "year": [1944, 1979], "genre": [["noir"], None]}
    pq.write_table(pa.table(films), tmp_path / "films.parquet")
    (tmp_path / "catalog.jsonl").write_text('{"kind":"subscription","id":"s1","user":"ann","where":"year < 1950"}\n')
    snippet = snippet.replace('"films.parquet"', repr(str(tmp_path / "films.parquet")))  # the JVM has another folder
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {})
    shown = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines()]
    assert [row[1:3] for row in shown if len(row) > 1] == [["user", "event"], ["ann", "1"]]
