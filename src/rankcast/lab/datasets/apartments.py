"""50,000 apartments for sale and 37,941 for rent in Poland, as events with prices and sizes."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rankcast.lab.datasets.packed import Field, events_of, read_rows, table_of, yes
from rankcast.model import Event

if TYPE_CHECKING:
    import pyarrow as pa

_FIELDS = {
    "city": Field("city"),
    "type": Field("type"),
    "size": Field("squareMeters", float, "double"),
    "rooms": Field("rooms", lambda text: int(float(text)), "int64"),
    "floor": Field("floor", lambda text: int(float(text)), "int64"),
    "floors": Field("floorCount", lambda text: int(float(text)), "int64"),
    "built": Field("buildYear", lambda text: int(float(text)), "int64"),
    "condition": Field("condition"),
    "price": Field("price", lambda text: int(float(text)), "int64"),
    "ownership": Field("ownership"),
    "material": Field("buildingMaterial"),
    "latitude": Field("latitude", float, "double"),
    "longitude": Field("longitude", float, "double"),
    "distance": Field("centreDistance", float, "double"),
    "places": Field("poiCount", lambda text: int(float(text)), "int64"),
    "parking": Field("hasParkingSpace", yes, "bool"),
    "balcony": Field("hasBalcony", yes, "bool"),
    "elevator": Field("hasElevator", yes, "bool"),
    "security": Field("hasSecurity", yes, "bool"),
    "storage": Field("hasStorageRoom", yes, "bool"),
}


def listings(limit: int | None = None) -> Iterator[Event]:
    """Apartments for sale, in publication order; only the first `limit` if it is given.

    Attributes: city, type, size (m²), rooms, floor, floors (of the building), built (year), condition (premium or
    low), price (zloty), ownership, material, latitude, longitude, distance (km to the centre), places (of interest
    nearby), and the booleans parking, balcony, elevator, security, storage. Unknown values are absent.

    The dataset has only the month in which an offer was first seen. The offers of a month are spread evenly over it,
    in order of their ids. Reading all takes about 2 s.

    >>> flat = next(listings())
    >>> flat.attributes["city"], flat.attributes["size"], flat.attributes["price"]
    (('radom',), (43.01,), (239000,))
    """
    return events_of(_rows("listings.csv.gz"), _FIELDS, limit)


def listings_table(limit: int | None = None) -> "pa.Table":
    """Apartments for sale as columns: id, time, and one per attribute."""
    return table_of(_rows("listings.csv.gz"), _FIELDS, limit)


def rentals(limit: int | None = None) -> Iterator[Event]:
    """Apartments for rent, with the attributes of `listings`; the price is in zloty per month.

    >>> next(rentals()).attributes["price"]
    (5450,)
    """
    return events_of(_rows("rentals.csv.gz"), _FIELDS, limit)


def rentals_table(limit: int | None = None) -> "pa.Table":
    """Apartments for rent as columns: id, time, and one per attribute."""
    return table_of(_rows("rentals.csv.gz"), _FIELDS, limit)


def _rows(file: str) -> Iterator[tuple[str, datetime, dict[str, str]]]:
    rows = list(read_rows(file))
    in_month = Counter(row["month"] for row in rows)
    place: Counter[str] = Counter()
    for row in rows:
        month = row["month"]
        start = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
        following = (start + timedelta(days=32)).replace(day=1)
        step = (following - start) / in_month[month]
        time = start + step * place[month]
        place[month] += 1
        yield row["id"], time.replace(microsecond=0), row
