"""The front door: the same deliveries as a replay, whatever kind of table comes in, and that kind out again."""

from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import rankcast as rc
from rankcast.engine.reference.shard import replay
from rankcast.errors import CatalogError, ModelError
from rankcast.language import decode_event, show
from rankcast.model import in_publication_order

GENRES = [["drama"], ["comedy", "drama"], None, ["war"], ["drama"], ["comedy"], ["war", "drama"], ["noir"]]
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {
        "id": f"f{number}",
        "time": BEGIN + timedelta(days=number),
        "genre": genre,
        "year": 1950 + number if number % 3 else None,
        "title": f"Film {number}",
    }
    for number, genre in enumerate(GENRES * 3)
]
ANN = (
    rc.user("ann")
    .wants("genre = 'drama'", score=0.9)
    .wants("year > 1955", score=0.4)
    .gets(top=3, per="1w", variety=0.5)
)


def expected() -> list[rc.Delivery]:
    """What a replay of the same events delivers."""
    events = [
        decode_event(
            {
                "id": row["id"],
                "time": row["time"].isoformat(),
                "attributes": {name: row[name] for name in ("genre", "year", "title") if row[name] is not None},
            }
        )
        for row in ROWS
    ]
    return replay(rc.catalog(ANN), in_publication_order(events))


FORMS = {
    "dictionaries": ROWS,
    "pandas": pd.DataFrame(ROWS).astype({"year": "Int64"}),
    "polars": pl.DataFrame(ROWS),
    "arrow": pa.Table.from_pylist(ROWS),
}
KINDS = {"dictionaries": pa.Table, "pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table}


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_table_gives_what_a_replay_gives(form: str) -> None:
    delivered = rc.deliver(FORMS[form], ANN)
    assert list(delivered) == expected()
    assert len(delivered) > 3


@pytest.mark.parametrize("form", FORMS)
def test_the_result_is_a_table_of_the_kind_that_came_in(form: str) -> None:
    delivered = rc.deliver(FORMS[form], ANN)
    assert isinstance(delivered.frame, KINDS[form])
    table = delivered.to_arrow()
    assert table.column_names[:3] == ["user", "event", "rank"]
    assert {"genre", "year", "title"} <= set(table.column_names)
    titles = dict(zip(table["event"].to_pylist(), table["title"].to_pylist(), strict=True))
    assert titles == {row["id"]: row["title"] for row in ROWS if row["id"] in titles}


def test_a_notebook_shows_a_table_and_a_picture() -> None:
    shown = rc.deliver([*ROWS, {**ROWS[0], "id": "<b>", "title": "<script>"}], ANN)._repr_html_()
    assert shown.count("<circle") == len(expected()) or shown.count("<circle") > 3
    assert "<table>" in shown
    assert "<svg" in shown
    assert "<script>" not in shown


def test_a_column_that_has_a_name_of_ours_is_told_apart() -> None:
    table = rc.deliver([{"id": "a", "time": "2026-01-01", "rank": 7}], rc.user("ann").wants("rank > 5")).to_arrow()
    assert (table["rank"].to_pylist(), table["event.rank"].to_pylist()) == ([1.0], [7])


def test_matches_come_with_their_events() -> None:
    found = rc.match(FORMS["pandas"], ANN)
    assert {one.subscription for one in found} == {"ann/1", "ann/2"}
    assert isinstance(found.frame, pd.DataFrame)
    assert "<table>" in found._repr_html_()


def test_other_columns_may_say_which_event_and_when() -> None:
    frame = FORMS["pandas"].rename(columns={"id": "film", "time": "seen"})
    assert list(rc.deliver(frame, ANN, id_column="film", time_column="seen")) == expected()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pd.DataFrame({"when": ["2026-01-01"]}), "no column 'time'"),
        (pd.DataFrame({"time": ["soon"]}), "soon"),
        ([{"id": "a"}], "event 1 has no 'time'"),
        ({"id": "a"}, "as a list of dictionaries"),
        (7, "not as int"),
    ],
)
def test_what_cannot_be_events_is_refused_with_the_reason(data: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        rc.events(data)


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"top": 3}, "either per= "), ({"per": 3}, "how many"), ({"top": 3, "per": 3, "variety": 2}, "variety is 2")],
)
def test_half_a_policy_is_refused_with_what_is_missing(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        rc.user("ann").gets(**fields)


def test_an_expression_with_a_mistake_is_refused_where_it_is_written() -> None:
    with pytest.raises(ModelError, match="startswith"):
        rc.user("ann").wants("title startwith 'The'")


def test_an_explanation_reads_as_a_sentence_and_as_html() -> None:
    why = rc.explain(ROWS, ANN, "ann", "f2")
    assert repr(why).startswith("<f2 for ann: not sent")
    html = why._repr_html_()
    assert "does not match" in html
    assert "Genre is drama".lower() in html
    hostile = [{**ROWS[0], "id": "<b>x</b>"}]
    assert "<b>x</b>" not in rc.explain(hostile, ANN, "ann", "<b>x</b>")._repr_html_()


def test_variants_of_a_user_are_compared_on_the_same_events() -> None:
    compared = rc.backtest(pd.DataFrame(ROWS), now=ANN, every=rc.user("ann").wants("genre = 'drama'"))
    assert list(compared["now"]) == expected()
    assert len(compared["every"]) == sum("drama" in (row["genre"] or ()) for row in ROWS)
    frame = compared.frame
    assert isinstance(frame, pd.DataFrame)
    assert frame["policy"].tolist() == ["now", "every"]
    assert compared._repr_html_().count("<circle") == len(compared["now"]) + len(compared["every"])
    with pytest.raises(ModelError, match="name the variants"):
        rc.backtest(ROWS)


@pytest.mark.parametrize(
    "form",
    [
        {"left_shoulder": [5, 9]},
        {"trapezoid": [1, 2, 3, 4]},
        {"gaussian": [5, 2]},
        {"piecewise": [[1, 0], [2, 1]]},
        {"between": [3, 3]},
    ],
)
def test_a_concept_is_drawn_and_used(form: dict[str, Any]) -> None:
    word = rc.concept("word", "year", **form)
    assert repr(word).startswith("<year is word: ")
    ElementTree.fromstring(word._repr_html_().partition("</p>")[2])
    assert rc.catalog([word, rc.user("ann").wants("year is word")]).concepts


def test_a_table_of_texts_is_drawn_with_its_names_escaped() -> None:
    html = rc.concept("warm", "shade", table={"<i>red</i>": 1, "blue": 0.2})._repr_html_()
    assert "<i>" not in html
    assert "blue" in html


def test_a_cover_graph_is_drawn() -> None:
    made = rc.graph([ANN, rc.user("ben").wants("genre = 'drama' and year > 1960", name="ben/1")])
    assert made.edges == (("ann/1", "ben/1"), ("ann/2", "ben/1"))
    assert made._repr_html_().startswith("<svg")
    assert rc.graph([ANN], "ann").edges == ()
    with pytest.raises(CatalogError, match="did you mean 'ann'"):
        rc.graph([ANN], "anne")


def test_the_names_on_offer_are_all_there() -> None:
    assert all(getattr(rc, name) is not None for name in rc.__all__)
    assert set(rc.__all__) <= set(dir(rc))
    with pytest.raises(AttributeError, match="nothing"):
        rc.nothing  # noqa: B018


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_catalog_may_be_a_table(library):
    table = pa.table({"id": ["s1", "s2"], "user": ["ann", "bob"], "where": ["x > 1", "y = 'z'"], "score": [0.5, None]})
    frame = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "pyarrow": lambda: table}[library]()
    made = rc.catalog(frame)
    assert [(one.id, one.user, show(one.where), one.score) for one in made.subscriptions.values()] == [
        ("s1", "ann", "x > 1", 0.5),
        ("s2", "bob", "y = 'z'", None),
    ]


def test_a_catalog_may_be_a_parquet_file(tmp_path):
    parquet.write_table(pa.table({"id": ["s1"], "user": ["ann"], "where": ["x > 1"]}), tmp_path / "c.parquet")
    assert rc.catalog(tmp_path / "c.parquet").users() == ["ann"]


def test_likely_mistakes_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="no attribute 'genree' in these events; did you mean 'genre'"):
        sent = rc.deliver([{"id": "f1", "time": "2026-01-01", "genre": "war"}], rc.user("ann").wants("genree = 'war'"))
    assert repr(sent) == "<0 deliveries of 1 event to 1 user>"
    with pytest.raises(ModelError, match="two events with id 'f1'"):
        rc.events([{"id": "f1", "time": "2026-01-01"}, {"id": "f1", "time": "2026-01-02"}])
    with pytest.raises(ModelError, match="name the variants"):
        rc.backtest([], rc.user("ann"))


def test_a_column_of_pandas_may_have_values_of_several_types() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"time": ["2026-01-01"] * 3, "year": [1944, "about 1950", None], "stars": [1.5, None, 3]})
    read = rc.events(frame)
    assert [dict(one.attributes) for one in read.events] == [
        {"year": (1944,), "stars": (1.5,)},
        {"year": ("about 1950",)},
        {"stars": (3.0,)},
    ]
    assert isinstance(rc.deliver(read, rc.user("ann").wants("year = 1944")).frame, pandas.DataFrame)
