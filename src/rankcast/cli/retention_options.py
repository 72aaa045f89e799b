"""What the options about retention say."""

__all__ = ["KEEP_HELP"]

KEEP_HELP = (
    "What to keep: events=30d, deliveries=1000000 (rows), rejects=all; may be repeated. Names: events, deliveries, rejects, "
    "set-aside, catalog, digests, dead-letters, audit, sessions."
)
