"""The revisions, a file for each schema version."""

__all__: list[str] = []
