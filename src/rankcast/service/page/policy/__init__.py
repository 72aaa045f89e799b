"""The policy: how many events are sent, when, and how diverse, tried on past events."""
