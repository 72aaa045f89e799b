"""Commands that work on files and keep nothing."""
