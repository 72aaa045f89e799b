"""From schema version 7 to 8: earlier forms of the pages of state. The new table is created as it is declared."""

revision = "8"
down_revision = "7"


def upgrade() -> None:
    """Change nothing: an earlier store has no earlier pages."""
