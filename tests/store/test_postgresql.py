"""What needs no server; with one (see conftest.py) all tests of this folder run on PostgreSQL too."""

import builtins

import pytest
from sqlalchemy import make_url

from rankcast.errors import StoreError
from rankcast.store.postgresql import connect, explain


class DriverError(Exception):
    def __init__(self, sqlstate: str | None) -> None:
        super().__init__("it went wrong")
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("sqlstate", "message"),
    [("55P03", "locked: another process has been writing for over 30 s"), ("42501", "privilege"), ("53100", "space")],
)
def test_errors_are_explained_by_their_state(sqlstate, message):
    explained = explain(DriverError(sqlstate), "postgresql://host/db", 30.0)
    assert message in str(explained)
    assert "'postgresql://host/db'" in str(explained)


@pytest.mark.parametrize("sqlstate", [None, "42P01"])
def test_other_errors_have_no_explanation(sqlstate):
    assert explain(DriverError(sqlstate), "postgresql://host/db", 30.0) is None


def test_a_missing_driver_says_what_to_install(monkeypatch):
    plain_import = builtins.__import__

    def without_driver(name, *args, **kwargs):
        if name == "psycopg":
            raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")
        return plain_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_driver)
    with pytest.raises(StoreError, match="'psycopg'; install it with: pip install psycopg"):
        connect(make_url("postgresql+psycopg://host/db"), wait=30.0)
