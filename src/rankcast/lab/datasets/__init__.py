"""The built-in datasets, and workload generators for them."""

from rankcast.lab.datasets.apartments import listings, listings_table, rentals, rentals_table
from rankcast.lab.datasets.auctions import auction_items, auction_items_table, auctions, auctions_table
from rankcast.lab.datasets.movies import FIRST_PUBLICATION, movies, movies_table
from rankcast.lab.datasets.news import TEN_AGENCIES, news, news_table
from rankcast.lab.datasets.workload import demo_catalog, subscriptions

__all__ = [
    "FIRST_PUBLICATION",
    "TEN_AGENCIES",
    "auction_items",
    "auction_items_table",
    "auctions",
    "auctions_table",
    "demo_catalog",
    "listings",
    "listings_table",
    "movies",
    "movies_table",
    "news",
    "news_table",
    "rentals",
    "rentals_table",
    "subscriptions",
]
