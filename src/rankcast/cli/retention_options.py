"""Help text for the retention options."""

__all__ = ["KEEP_HELP", "KEEP_METAVAR"]

KEEP_METAVAR = "NAME=AGE|ROWS|SIZE|all"

KEEP_HELP = (
    "Retention rule, such as events=30d, deliveries=1000000 (rows), events=20GB or rejects=all. May be repeated. Names: "
    "events, deliveries, rejects, set-aside, catalog, digests, dead-letters, audit, sessions."
)
