"""The preferences: which subscriptions a user prefers over others."""
