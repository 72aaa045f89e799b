"""The store's tables of webhooks, digests and quiet hours."""
