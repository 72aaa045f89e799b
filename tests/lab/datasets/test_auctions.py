"""Auctions: items with their category paths, bids in the order of their times."""

from collections import Counter
from statistics import median

from rankcast.lab.datasets import FIRST_PUBLICATION, auction_items, auction_items_table, auctions, auctions_table


def test_all_items_are_there():
    items = list(auction_items())
    assert len(items) == 19_532
    assert median(item.attributes["first_bid"][0] for item in items) == 8.5
    assert Counter(item.attributes["category"][0] for item in items).most_common(1) == [
        ("Clothing & Accessories", 7_584)
    ]
    assert sum(round(item.attributes["days"][0]) == 7 for item in items) == 12_938
    assert [item.time for item in items] == sorted(item.time for item in items)


def test_all_bids_are_there():
    bids = list(auctions())
    assert len(bids) == 10_681
    assert Counter(bid.attributes["item"][0] for bid in bids) == {
        "Palm Pilot M515 PDA": 5_917,
        "Xbox game console": 2_811,
        "Cartier wristwatch": 1_953,
    }
    assert sum("bidder" not in bid.attributes for bid in bids) == 16
    assert [bid.time for bid in bids] == sorted(bid.time for bid in bids)
    assert bids[0].time > FIRST_PUBLICATION


def test_the_tables_hold_the_same():
    for events, table in ((auction_items, auction_items_table), (auctions, auctions_table)):
        rows = table(limit=50).to_pylist()
        for event, row in zip(events(limit=50), rows, strict=True):
            assert (row.pop("id"), row.pop("time")) == (event.id, event.time)
            values = {name: tuple(v) if isinstance(v, list) else (v,) for name, v in row.items() if v is not None}
            assert values == event.attributes
