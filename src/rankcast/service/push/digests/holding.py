"""What is held back from being pushed: over quiet hours, and until the next digest."""

from dataclasses import dataclass
from datetime import datetime

from rankcast.language import show_time
from rankcast.plain import JsonObject

__all__ = ["HeldDeliveries"]


@dataclass(frozen=True, slots=True)
class HeldDeliveries:
    """Deliveries after a number are held until a time. They are in the log and on the page; only nothing is pushed."""

    because: str
    after: int
    until: datetime

    def to_json(self) -> JsonObject:
        """For programs."""
        return {"because": self.because, "after": self.after, "until": show_time(self.until)}
