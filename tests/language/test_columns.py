"""One declaration of a record gives its Arrow, Spark and JSON forms, and they agree."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from rankcast.language import decode_delivery, encode_delivery
from rankcast.language.columns import arrow_schema, arrow_table, columns_of, spark_schema
from rankcast.model import Delivery, Match, SetAside

DAY = datetime(2026, 1, 1, tzinfo=UTC)
DELIVERY = Delivery("ann", "e1", 3, 0.5, ("s1", "s2"), DAY, DAY, 2, served=DAY)


@pytest.mark.parametrize("record", [Delivery, Match, SetAside])
def test_arrow_and_spark_name_the_same_columns(record: type) -> None:
    names = [column.split()[0] for column in spark_schema(record, by_clock=True).split(", ")]
    assert names == arrow_schema(record, by_clock=True).names == [column.name for column in columns_of(record)]


def test_instants_of_a_clock_are_left_out_of_what_a_replay_gives() -> None:
    assert [column.name for column in columns_of(Delivery) if column.by_clock] == ["served", "matched", "received"]
    assert set(encode_delivery(DELIVERY)) == set(arrow_schema(Delivery).names)


def test_a_table_holds_the_rows() -> None:
    row = arrow_table([DELIVERY], Delivery).to_pylist()[0]
    assert Delivery(**{**row, "subscriptions": tuple(row["subscriptions"])}) == DELIVERY
    assert arrow_table([], Delivery) == arrow_schema(Delivery).empty_table()
    assert arrow_schema(Delivery).field("published").type == pa.timestamp("us", "UTC")


def test_a_delivery_survives_json() -> None:
    assert decode_delivery(encode_delivery(DELIVERY)) == DELIVERY
