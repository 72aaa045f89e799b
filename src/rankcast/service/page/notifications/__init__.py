"""Notifications: what is pushed to a user, where to, and when not."""
