"""Help text for the retention options."""

__all__ = ["KEEP_HELP"]

KEEP_HELP = (
    "Retention rule, such as events=30d, deliveries=1000000 (rows) or rejects=all. May be repeated. Names: events, "
    "deliveries, rejects, set-aside, catalog, digests, dead-letters, audit, sessions."
)
