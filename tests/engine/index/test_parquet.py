from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rankcast.engine.index import LiveIndex, write_index
from rankcast.engine.index.index import Index
from rankcast.engine.index.parquet import compile_parquet
from rankcast.errors import RecordError, StoreError
from rankcast.language import parse
from rankcast.model import Event, Subscription


def names_found(compiled, **attributes):
    index = Index(compiled)
    event = Event("e", datetime(2026, 1, 1, tzinfo=UTC), {name: (value,) for name, value in attributes.items()})
    found = index.candidates(index.encoder.encode([event]))
    return [compiled.ids[place] for place in found.subscription.tolist()]


def test_texts_and_columns_give_the_same_index(tmp_path):
    wheres = ["a between 1 and 3 and p = 'x'", "p startswith 'x'", "a exists", "a != 2"]
    predicates = [
        [
            {"attribute": "a", "op": "between", "number": 1.0, "upper": 3.0, "text": None},
            {"attribute": "p", "op": "=", "number": None, "upper": None, "text": "x"},
        ],
        [{"attribute": "p", "op": "startswith", "number": None, "upper": None, "text": "x"}],
        [{"attribute": "a", "op": "exists", "number": None, "upper": None, "text": None}],
        [{"attribute": "a", "op": "!=", "number": 2.0, "upper": None, "text": None}],
    ]
    shared = {"id": ["s1", "s2", "s3", "s4"], "user": ["u", "v", "u", "v"], "score": [0.5, None, 1.0, 0.0]}
    pq.write_table(pa.table({**shared, "where": wheres}), tmp_path / "texts")
    pq.write_table(pa.table({**shared, "predicates": predicates}), tmp_path / "columns")
    texts, columns = compile_parquet(tmp_path / "texts"), compile_parquet(tmp_path / "columns")
    for event in ({"a": 2, "p": "x"}, {"a": 5, "p": "xy"}, {"p": "y"}, {"a": "x"}):
        assert names_found(texts, **event) == names_found(columns, **event)
    assert names_found(columns, a=2, p="x") == ["s1", "s2", "s3"]
    assert columns.users[columns.user[1]] == "v"
    assert columns.place_of("s3") == 2


def test_an_index_of_columns_takes_changes_and_cannot_be_compacted(tmp_path):
    predicates = [[{"attribute": "a", "op": "=", "number": 1.0, "upper": None, "text": None}]] * 2
    pq.write_table(pa.table({"id": ["s1", "s2"], "user": ["u", "v"], "predicates": predicates}), tmp_path / "columns")
    write_index(compile_parquet(tmp_path / "columns"), tmp_path / "index")
    live = LiveIndex(tmp_path / "index")
    live.change(put=[Subscription("s3", "u", parse("a > 0"))], remove=["s1"])
    event = Event("e", datetime(2026, 1, 1, tzinfo=UTC), {"a": (1,)})
    assert live.match_batch([event]).subscription == ["s2", "s3"]
    assert LiveIndex(tmp_path / "index").match_batch([event]).subscription == ["s2", "s3"]
    with pytest.raises(StoreError, match=r"built without its subscriptions, which .* compaction need"):
        live.compact()


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"id": ["s"], "usr": ["u"], "where": ["true"]}, "no column 'user'; did you mean 'usr'"),
        ({"id": ["s"], "user": ["u"]}, "neither a column 'where' nor"),
        ({"id": ["s"], "user": ["u"], "where": ["a ="]}, "subscription 's'"),
        (
            {"id": ["s"], "user": ["u"], "predicates": [[{"attribute": "a", "op": "betwen", "number": 1.0, "upper": 2.0, "text": "x"}]]},
            "did you mean 'between'",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path, columns, complaint):
    pq.write_table(pa.table(columns), tmp_path / "file")
    with pytest.raises(RecordError, match=complaint):
        compile_parquet(tmp_path / "file")
