"""The subscriptions: which events a user wants to receive."""
