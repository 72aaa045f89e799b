"""Events in their JSON form, many at a time, over their bytes."""

from rankcast.engine.event_texts.reading import EventReader, read_texts

__all__ = ["EventReader", "read_texts"]
