"""The pages of Python packages, which mkdocstrings fills from docstrings."""

import importlib

__all__ = ["PAGES"]

_PACKAGES = (
    "rankcast",
    "rankcast.client",
    "rankcast.pipeline.spark",
    "rankcast.model",
    "rankcast.language",
    "rankcast.matching",
    "rankcast.cover",
    "rankcast.rank",
    "rankcast.choose",
    "rankcast.fuzzy",
    "rankcast.overlay",
    "rankcast.store",
    "rankcast.service",
    "rankcast.testing",
    "rankcast.errors",
)


def _address(package: str) -> str:
    return f"reference/python/{package.removeprefix('rankcast.').replace('.', '-')}.md"


def _page(package: str) -> str:
    """The package's own sentence, and everything that its `__all__` lists."""
    names = getattr(importlib.import_module(package), "__all__", None)
    options = f"    options:\n      members: {sorted(names)}\n      inherited_members: true\n" if names else ""
    return f"# {package}\n\n::: {package}\n{options}"


PAGES = {_address(package): (lambda package=package: _page(package)) for package in _PACKAGES}
