"""From schema version 6 to 7: brokers of a tree. The new tables are created as they are declared."""

revision = "7"
down_revision = "6"


def upgrade() -> None:
    """Change nothing: an earlier store belongs to no tree."""
