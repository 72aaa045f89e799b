"""The optional parts of Rankcast: which extra brings which import.

`pip install rankcast` brings the library, the commands, the in-process engine and SQLite. Everything else is an extra:
`pip install "rankcast[spark]"`. The table here says which modules an extra brings; `pyproject.toml` lists the
distributions, and a test compares the two.

Whoever is about to import such a module calls `require` first, so that a missing one is reported with the command that
installs it.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

from rankcast.errors import MissingExtra


class Extra(NamedTuple):
    """An optional part: what people call it, and the modules that it brings."""

    title: str
    modules: tuple[str, ...]


EXTRAS = {
    "spark": Extra("Spark", ("pyspark", "pandas", "grpc")),
    "serve": Extra("the service", ("fastapi", "starlette", "uvicorn", "nicegui", "cryptography")),
    "kafka": Extra("the Kafka client", ("confluent_kafka",)),
    "postgres": Extra("the PostgreSQL driver", ("psycopg",)),
    "plots": Extra("the library for plots", ("matplotlib", "PIL")),
    "demo": Extra("the collection of datasets", ("rankcast_datasets",)),
}


def require(*names: str) -> None:
    """Check that extras are installed.

    Raises `MissingExtra`, with one command that installs all that are missing.
    """
    absent = [name for name in names if not is_installed(name)]
    if absent:
        raise missing(absent)


def require_library(name: str) -> None:
    """Check that a library of the user's choice, such as pandas or polars, is installed. No extra is made for it."""
    if not _is_there(name):
        raise MissingExtra(f"{name} is not installed; run: pip install {name}", name=name)


def is_installed(name: str) -> bool:
    """Whether all modules of an extra can be found. Imports none of them; takes less than a millisecond."""
    return all(map(_is_there, EXTRAS[name].modules))


def extra_of(module: str | None) -> str | None:
    """The extra that brings a module, if one does.

    >>> extra_of("pyspark.sql")
    'spark'
    """
    top = (module or "").partition(".")[0]
    return next((name for name, extra in EXTRAS.items() if top in extra.modules), None)


def installation(*names: str) -> str:
    """The command that installs extras.

    >>> installation("spark", "kafka")
    'pip install "rankcast[spark,kafka]"'
    """
    return f'pip install "rankcast[{",".join(names)}]"'


def missing(names: Sequence[str]) -> MissingExtra:
    """The error for extras that are not installed."""
    titles = " and ".join(EXTRAS[name].title for name in names)
    are = "are" if len(names) > 1 else "is"
    first = EXTRAS[names[0]].modules[0]
    return MissingExtra(f"{titles} {are} not installed; run: {installation(*names)}", name=first)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # a module that was set up by hand, without a spec
        return True
