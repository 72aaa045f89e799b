"""The steps that revisions are made of: safe on a store that lacks a table which came within its schema version."""

from typing import Any

from alembic import op
from sqlalchemy import Column, inspect

__all__ = ["add_column", "add_index", "has_comments"]


def add_column(table: str, column: Column[Any]) -> None:
    """Give a table a column, which may be null or has a `server_default`; a table that is not there is made later, whole."""
    inspector = inspect(op.get_bind())
    if inspector.has_table(table) and column.name not in {known["name"] for known in inspector.get_columns(table)}:
        op.add_column(table, column)


def add_index(name: str, table: str, columns: list[str], *, unique: bool = False) -> None:
    """Give a table an index; a table that is not there is made later, with its indexes."""
    if inspect(op.get_bind()).has_table(table):
        op.create_index(name, table, columns, unique=unique, if_not_exists=True)


def has_comments(table: str) -> bool:
    """Whether a table is there, in a database that keeps comments on columns; SQLite has none."""
    return op.get_bind().dialect.name != "sqlite" and inspect(op.get_bind()).has_table(table)
