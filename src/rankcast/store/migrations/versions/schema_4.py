"""From schema version 3 to 4: limits, retention, and migrations themselves."""

from sqlalchemy import BigInteger, Column

from rankcast.store.migrations.steps import add_column

__all__ = ["down_revision", "revision", "upgrade"]

revision = "4"
down_revision = None


def upgrade() -> None:
    """Add the columns and indexes that tables of schema version 3 lack; new tables are made by themselves.

    Columns are written out here, not taken from the declarations, which go on to later versions. A new column may be null or has
    a `server_default`, in the declaration too.
    """
    add_column("access_tokens", Column("expires_at", BigInteger, comment="of no use from then on; null for never"))
