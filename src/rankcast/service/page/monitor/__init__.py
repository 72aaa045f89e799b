"""The monitor: published events, and what happens to them."""
