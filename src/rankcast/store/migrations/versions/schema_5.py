"""From schema version 4 to 5: the audit trail, which is a new table, and a changed column comment."""

from alembic import op
from sqlalchemy import Text

from rankcast.store.migrations.steps import has_comments

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Update the comment on webhook secrets, which can now be encrypted. The table `audit` is created as declared."""
    if has_comments("webhooks"):
        said = "JSON array, newest first; encrypted if the environment has a key"
        op.alter_column("webhooks", "secrets", existing_type=Text(), existing_nullable=False, comment=said)
