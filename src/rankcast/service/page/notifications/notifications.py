"""Notifications: what is pushed to a user, where to, and when not."""

from rankcast.service.page.notifications.quiet_view import show_quiet
from rankcast.service.page.notifications.webhook_list import WebhookList
from rankcast.service.page.undoing import UndoBar
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import group


async def build(view: View) -> None:
    """Build the page."""
    undo = UndoBar()
    with group("div", "rc-columns"):
        webhooks = WebhookList(view, undo)
        show_quiet(view)
    await webhooks.load()
