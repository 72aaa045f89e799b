"""The demo dataset of the approximate-matching paper (A-ToPSS): flats and auction items with vague values.

The offers are real; only their vagueness is made up. A hash of its id decides whether an offer keeps its exact
numbers, gives a range, or gives only a word of the catalog, as sellers do. A vague value is always true of the real
number. The bids of the dataset were generated, so an item has the price that its seller asked first, and no bids.
"""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import blake2b
from itertools import islice
from typing import Any

from rankcast.lab.datasets import FIRST_PUBLICATION, auction_items, rentals
from rankcast.model import AttributeValue, Event, Interval, Term, Trapezoid, Triangle
from rankcast.plain import JsonObject
from rankcast.service.demos.world import DemoRows, Script, World

_FLAT = ("city", "type", "size", "rooms", "floor", "built", "condition", "distance", "balcony", "elevator", "parking")
_ITEM = ("title", "category", "country", "seller", "seller_rating", "days")
FLATS, ITEMS = 37_941, 19_532
_WORDS = ((2600, "cheap"), (4400, "fair"))
"""The highest rent to which each word applies with a degree of at least 0.5. Above, a flat is `expensive`."""


def _read() -> Script:
    """Two flats, then one auction item, repeatedly; each kind in the order of its dataset, one offer a minute."""
    return Script(DemoRows(_rows(), FLATS + ITEMS), _event)


def _rows() -> Iterator[Event]:
    flats = rentals()
    for item in auction_items():
        yield from islice(flats, 2)
        yield item


def _event(number: int, row: Event) -> Event:
    told = _flat(row) if "city" in row.attributes else _item(row)
    kind = "flat" if "city" in row.attributes else "item"
    return Event(f"{kind}-{row.id[:16]}", FIRST_PUBLICATION + timedelta(minutes=number), told, source=f"{kind}s")


def _flat(row: Event) -> dict[str, AttributeValue]:
    known: JsonObject = {name: row.attributes[name] for name in _FLAT if name in row.attributes}
    rent, size, rooms = (_value(row, name) for name in ("price", "size", "rooms"))
    told: dict[str, AttributeValue] = {
        "title": (f"{rooms} room{'s' if rooms > 1 else ''} in {_value(row, 'city').capitalize()}",),
        **known,
    }
    told["rent"] = (rent,)
    match _lot(row, "rent"):
        case 0 | 1:
            step = 250 if rent < 4000 else 500
            told["rent"] = Interval(rent // step * step, rent // step * step + step)
        case 2:
            told["rent"] = Term(next((word for limit, word in _WORDS if rent <= limit), "expensive"))
    if _lot(row, "size") < 2:
        told["size"] = Triangle(round(0.85 * size), size, round(1.15 * size))
    return told


def _item(row: Event) -> dict[str, AttributeValue]:
    told: dict[str, AttributeValue] = {name: row.attributes[name] for name in _ITEM if name in row.attributes}
    price = _value(row, "first_bid")
    told["price"] = (price,)
    if _lot(row, "price") < 2:  # the final price is open: between the first one and three times that
        told["price"] = Trapezoid(price, price, round(1.6 * price, 2), round(3 * price, 2))
    return told


def _value(row: Event, name: str) -> Any:
    """The single value of an attribute that all rows have."""
    return row.attributes[name][0]  # type: ignore[index]  # all values of the datasets are crisp


def _lot(row: Event, purpose: str) -> int:
    return blake2b(f"{purpose}/{row.id}".encode(), digest_size=8).digest()[0] % 8


MARKET = World(
    name="market",
    title="Flats and auctions",
    summary=(
        "Flats to rent in Poland and things at auction, as in the paper on approximate matching: wishes such as “cheap” and "
        "“not too far out”, against offers that say “2,500 to 2,750”, “about 60 m²” or just “cheap”."
    ),
    data=(
        "37,941 real flats and 19,532 real auctions. An item's price is what its seller asked first; the bids of the "
        "dataset were generated and are not used. How exactly an offer is told is made up: three in eight flats name a "
        "range or a word in place of the rent, a quarter say about how large they are, and a quarter of the auctions "
        "leave open where they will end."
    ),
    people={
        "ann": "a family that looks for a medium flat, as in the paper",
        "borys": "a student, to whom cheap means cheaper than to others",
        "celia": "wants to live by the sea, and knows in which order",
        "dora": "comics, toys, and anything of Star Wars",
        "emil": "jewels, if they are surely worth it",
    },
    read=_read,
)
