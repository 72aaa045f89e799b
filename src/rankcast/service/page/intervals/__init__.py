"""The interval panel: crisp and approximate matches as a value gets vague."""
