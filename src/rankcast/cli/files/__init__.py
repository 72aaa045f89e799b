"""Commands that work on files and need no store."""
