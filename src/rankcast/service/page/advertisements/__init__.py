"""The advertisements: what publishers promise, and publishing under one."""
