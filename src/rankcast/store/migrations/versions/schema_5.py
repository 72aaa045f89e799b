"""From schema version 4 to 5: the audit trail, which is a new table; and what a column says of itself."""

from alembic import op
from sqlalchemy import Text

from rankcast.store.migrations.steps import has_comments

__all__ = ["down_revision", "revision", "upgrade"]

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Say of webhook secrets that they can be encrypted; the table `audit` is made as it is declared."""
    if has_comments("webhooks"):
        said = "JSON array, newest first; encrypted if the environment has a key"
        op.alter_column("webhooks", "secrets", existing_type=Text(), existing_nullable=False, comment=said)
