"""The cover graph: which subscriptions cover which."""
