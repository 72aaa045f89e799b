"""Deliveries that are held back during quiet hours or until the next digest."""

from dataclasses import dataclass
from datetime import datetime

from rankcast.language import show_time
from rankcast.plain import JsonObject

__all__ = ["HeldDeliveries"]


@dataclass(frozen=True, slots=True)
class HeldDeliveries:
    """Deliveries after a number are held until a time. They are in the log and on the page, but are not pushed."""

    because: str
    after: int
    until: datetime

    def to_json(self) -> JsonObject:
        """The JSON form."""
        return {"because": self.because, "after": self.after, "until": show_time(self.until)}
