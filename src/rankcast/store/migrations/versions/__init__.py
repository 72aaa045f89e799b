"""The revisions, one file per schema version."""

__all__: list[str] = []
