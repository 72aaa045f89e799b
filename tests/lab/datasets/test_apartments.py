"""The apartments: all there, typed, in publication order, unknown values absent."""

from collections import Counter
from statistics import median

import pytest

from rankcast.lab.datasets import listings, listings_table, rentals, rentals_table
from rankcast.model import in_publication_order

pytestmark = pytest.mark.xdist_group("datasets")


@pytest.fixture(scope="module")
def sales():
    return list(listings())


def test_all_sales_are_there(sales):
    assert len(sales) == len({flat.id for flat in sales}) == 50_000
    prices = [flat.attributes["price"][0] for flat in sales]
    assert (min(prices), median(prices), max(prices)) == (151_200, 700_000, 3_215_000)
    assert Counter(flat.attributes.get("condition", (None,))[0] for flat in sales) == {
        None: 36_756,
        "premium": 7_691,
        "low": 5_553,
    }


def test_they_come_in_publication_order(sales):
    assert [flat.seq for flat in sales] == list(range(1, 50_001))
    assert [flat.id for flat in in_publication_order(sales)] == [flat.id for flat in sales]
    assert (sales[0].time.year, sales[-1].time.year) == (2023, 2024)


def test_one_flat(sales):
    assert sales[0].attributes == {
        "city": ("radom",),
        "type": ("blockOfFlats",),
        "size": (43.01,),
        "rooms": (2,),
        "floor": (2,),
        "floors": (4,),
        "built": (1968,),
        "price": (239_000,),
        "ownership": ("condominium",),
        "latitude": (51.4024,),
        "longitude": (21.1673,),
        "distance": (1.73,),
        "places": (20,),
        "parking": (False,),
        "balcony": (True,),
        "elevator": (False,),
        "security": (False,),
        "storage": (False,),
    }


def test_rentals():
    flats = list(rentals())
    assert len(flats) == 37_941
    assert median(flat.attributes["price"][0] for flat in flats) == 3_000
    assert sum("built" not in flat.attributes for flat in flats) == 10_570


@pytest.mark.parametrize(("events", "table"), [(listings, listings_table), (rentals, rentals_table)])
def test_the_table_holds_the_same(events, table):
    rows = table(limit=50).to_pylist()
    for event, row in zip(events(limit=50), rows, strict=True):
        assert (row.pop("id"), row.pop("time")) == (event.id, event.time)
        assert {name: (value,) for name, value in row.items() if value is not None} == event.attributes
