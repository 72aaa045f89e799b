"""The feed: what was delivered, newest on top, live."""

from rankcast.serve.page.parts import empty, link
from rankcast.serve.page.visitors import View

__all__ = ["build"]


def build(view: View) -> None:
    """The deliveries of the user."""
    with empty("o_inbox", "No deliveries yet", "Subscribe to something, or open a ready world."):
        link("Subscribe", "/subscriptions")
