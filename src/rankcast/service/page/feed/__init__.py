"""The feed: what was sent to a user, and why."""
