"""The HTTP API, one file per resource, under /v1."""
