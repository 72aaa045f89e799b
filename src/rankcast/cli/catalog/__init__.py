"""Commands that say what users want."""
