"""What the service sends by itself: webhooks and digests."""
