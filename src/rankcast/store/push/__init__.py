"""What the store keeps of webhooks, digests and quiet hours."""
