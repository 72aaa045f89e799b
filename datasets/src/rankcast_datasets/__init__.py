"""The data files of Rankcast's datasets. `rankcast.lab.datasets` reads them; README.md says where each comes from."""

from importlib.resources import files
from importlib.resources.abc import Traversable

__version__ = "0.1.0"

__all__ = ["data_file"]


def data_file(name: str) -> Traversable:
    """A data file: movies, listings, rentals, auction_items, auctions or news, each as ``NAME.csv.gz``."""
    return files(__name__) / "data" / name
