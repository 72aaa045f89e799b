"""Twelve fictional users for the demo, with all delivery modes, crisp and vague subscriptions, and preferences."""

from importlib.resources import as_file, files

from rankcast.errors import CatalogError
from rankcast.language import read_catalog
from rankcast.model import Catalog

__all__ = ["demo_catalog"]


def demo_catalog() -> Catalog:
    """A new copy of the catalog `tastes.jsonl`, which suits the films of `movies`.

    >>> demo_catalog().users()[:3]
    ['ada', 'bruno', 'celeste']
    """
    with as_file(files("rankcast.lab.datasets") / "tastes.jsonl") as path:
        catalog, rejects = read_catalog(path)
    if rejects:
        raise CatalogError(f"line {rejects[0].line} of the bundled catalog: {rejects[0].reason}")
    return catalog
