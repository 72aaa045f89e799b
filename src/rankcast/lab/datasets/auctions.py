"""Early eBay data as events: 19,532 items for auction, and 10,681 bids in 628 auctions."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rankcast.lab.datasets.movies import FIRST_PUBLICATION
from rankcast.lab.datasets.packed import Field, events_of, read_rows, table_of
from rankcast.model import Event

if TYPE_CHECKING:
    import pyarrow as pa

_ITEM = {
    "title": Field("name"),
    "category": Field("category", lambda path: list(dict.fromkeys(path.split(" > "))), "strings"),
    "first_bid": Field("first_bid", float, "double"),
    "price": Field("currently", float, "double"),
    "bids": Field("number_of_bids", int, "int64"),
    "country": Field("country"),
    "seller": Field("seller"),
    "seller_rating": Field("seller_rating", int, "int64"),
    "days": Field("days", float, "double"),
}
_BID = {
    "auction": Field("auctionid"),
    "item": Field("item"),
    "bid": Field("bid", float, "double"),
    "bidder": Field("bidder"),
    "bidder_rating": Field("bidderrate", int, "int64"),
    "first_bid": Field("openbid", float, "double"),
    "price": Field("price", float, "double"),
    "days": Field("auction_type", lambda text: int(text.split()[0]), "int64"),
}


def auction_items(limit: int | None = None) -> Iterator[Event]:
    """Items put up for auction between 30 November and 19 December 2001, in order of time.

    Attributes: title, category (each step of its path, from general to specific), first_bid, price and bids (the
    current ones; synthetic in the source), country, seller, seller_rating, days (length of the auction). eBay's times
    are read as UTC.

    >>> item = next(auction_items())
    >>> item.time.isoformat(), item.attributes["first_bid"], item.attributes["category"][0]
    ('2001-11-30T18:08:53+00:00', (4.0,), 'Clothing & Accessories')
    """
    return events_of(_items(), _ITEM, limit)


def auction_items_table(limit: int | None = None) -> "pa.Table":
    """Items put up for auction as columns: id, time, and one per attribute."""
    return table_of(_items(), _ITEM, limit)


def auctions(limit: int | None = None) -> Iterator[Event]:
    """Bids for hand-held computers, game consoles and wrist watches, in order of time.

    Attributes: auction, item, bid (US dollars), bidder, bidder_rating, first_bid, price (the closing price), days.
    The source has no dates, only the time since an auction started; here all auctions start on 2026-01-01.

    >>> next(auctions()).attributes["item"]
    ('Xbox game console',)
    """
    return events_of(_bids(), _BID, limit)


def auctions_table(limit: int | None = None) -> "pa.Table":
    """Bids as columns: id, time, and one per attribute."""
    return table_of(_bids(), _BID, limit)


def _items() -> Iterator[tuple[str, datetime, dict[str, str]]]:
    for row in read_rows("auction_items.csv.gz"):
        started, ends = (datetime.fromisoformat(row[name]).replace(tzinfo=UTC) for name in ("started", "ends"))
        yield row["itemid"], started, {**row, "days": str((ends - started) / timedelta(days=1))}


def _bids() -> Iterator[tuple[str, datetime, dict[str, str]]]:
    rows = [
        (FIRST_PUBLICATION + timedelta(days=float(row["bidtime"])), f"b{number:05}", row)
        for number, row in enumerate(read_rows("auctions.csv.gz"), 1)
    ]
    for time, name, row in sorted(rows, key=lambda one: one[:2]):
        yield name, time, row
