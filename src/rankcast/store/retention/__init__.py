"""What is kept, for how long, and how the rest is deleted."""
