"""What the service pushes to users: webhooks and digests."""
