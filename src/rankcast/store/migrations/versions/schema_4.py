"""From schema version 3 to 4: limits, retention, and migrations."""

from sqlalchemy import BigInteger, Column

from rankcast.store.migrations.steps import add_column

revision = "4"
down_revision = None


def upgrade() -> None:
    """Add the columns and indexes that the tables of schema version 3 lack. New tables are created automatically.

    The columns are written out here instead of being taken from the declarations, which change with later versions. A
    new column must be nullable or have a `server_default`, also in its declaration.
    """
    add_column("access_tokens", Column("expires_at", BigInteger, comment="of no use from then on; null for never"))
