"""A fresh store for each test: an SQLite file, and a database of PostgreSQL if a server is given.

RANKCAST_TEST_POSTGRESQL=postgresql://user@host:port/database pytest tests/store
"""

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url

from rankcast.store import Store

SERVER = os.environ.get("RANKCAST_TEST_POSTGRESQL")


@pytest.fixture(params=["sqlite", *(["postgresql"] if SERVER else [])])
def place(request, tmp_path) -> Iterator[str]:
    """Where a store can be created: a path, or the URL of an empty database."""
    if request.param == "sqlite":
        yield str(tmp_path / "store.db")
        return
    name = f"rankcast_{uuid4().hex}"
    server = create_engine(SERVER, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
        yield make_url(SERVER).set(database=name).render_as_string(hide_password=False)
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.dispose()


@pytest.fixture
def store(place) -> Iterator[Store]:
    with Store.create(place) as store:
        yield store
