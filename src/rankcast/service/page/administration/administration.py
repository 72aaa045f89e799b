"""Administration: users, set-aside events, unreadable records, and the audit trail."""

from rankcast.service.page.administration.audit_view import AuditView
from rankcast.service.page.administration.set_aside_view import SetAsideView
from rankcast.service.page.administration.user_list import UserList
from rankcast.service.page.unreadable_view import UnreadableView
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import empty, link


async def build(view: View) -> None:
    """A section for each task. Other visitors are told whom to ask."""
    if not view.visitor.switches:
        with empty(
            "o_admin_panel_settings", "For administrators", "Sign in with the token of an administrator to use it."
        ):
            link("To the feed", "/", "rc-button rc-link-button")
        return
    sections: list[UserList | SetAsideView | UnreadableView | AuditView] = []

    async def load() -> None:
        for section in sections:
            await section.load()

    sections += [UserList(view, load), SetAsideView(view, load), UnreadableView(view, None, load), AuditView(view)]
    await load()
