"""The steps used by revisions. Each is safe on a store that lacks a table added later in the same schema version."""

from typing import Any

from alembic import op
from sqlalchemy import Column, inspect


def add_column(table: str, column: Column[Any]) -> None:
    """Add a column, which must be nullable or have a `server_default`. Missing tables are created later, complete."""
    inspector = inspect(op.get_bind())
    if inspector.has_table(table) and column.name not in {known["name"] for known in inspector.get_columns(table)}:
        op.add_column(table, column)


def has_comments(table: str) -> bool:
    """Whether a table exists in a database that supports column comments. SQLite does not."""
    return op.get_bind().dialect.name != "sqlite" and inspect(op.get_bind()).has_table(table)
