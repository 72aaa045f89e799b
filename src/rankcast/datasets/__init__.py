"""The bundled data sets, and workloads made over them."""

from rankcast.datasets.movies import FIRST_PUBLICATION, movies, movies_table
from rankcast.datasets.tastes import demo_catalog
from rankcast.datasets.workload import subscriptions

__all__ = ["FIRST_PUBLICATION", "demo_catalog", "movies", "movies_table", "subscriptions"]
