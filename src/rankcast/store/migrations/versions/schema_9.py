"""From schema version 8 to 9: smaller blocks in the index of deliveries by user."""

from alembic import op
from sqlalchemy import inspect

revision = "9"
down_revision = "8"


def upgrade() -> None:
    """Build the index anew. This takes some seconds per million deliveries."""
    connection = op.get_bind()
    if inspect(connection).has_table("deliveries"):
        columns = "number >> 16, user_id" if connection.dialect.name == "sqlite" else "(number >> 16), user_id, number"
        op.execute("DROP INDEX IF EXISTS ix_deliveries_user")
        op.execute(f"CREATE INDEX ix_deliveries_user ON deliveries ({columns})")
