"""The list of pages. Each is a folder or a module of this package with a function ``build(view)``."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.service.page.visitors import View

__all__ = ["PAGES", "PageEntry", "PageGroup"]


class PageGroup(Enum):
    """The groups of the navigation, in order."""

    YOURS = "Yours"
    OPERATION = "Operation"
    LEARNING = "Learning"


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page: path, title, icon (of Material Icons), the module that builds it, and the sentence below its title.

    `main` pages are in the navigation bar of a phone, and the others under "More". `administrators` pages are shown
    only to administrators.
    """

    path: str
    title: str
    icon: str
    module: str
    hint: str
    group: PageGroup = PageGroup.YOURS
    main: bool = False
    administrators: bool = False

    async def build(self, view: "View") -> None:
        """Build the page in the current element. The module's `build` may be a coroutine."""
        build: Callable[[View], Awaitable[None] | None] = import_module(f"rankcast.service.page.{self.module}").build
        made = build(view)
        if inspect.isawaitable(made):
            await made


_OPERATION, _LEARNING = PageGroup.OPERATION, PageGroup.LEARNING

PAGES = (
    PageEntry("/", "Feed", "o_view_agenda", "feed", "What was worth sending, and why.", main=True),
    PageEntry(
        "/subscriptions", "Subscriptions", "o_bookmarks", "subscriptions", "What you want to hear of.", main=True
    ),
    PageEntry("/preferences", "Preferences", "o_swap_vert", "preferences", "What you would rather hear of.", main=True),
    PageEntry("/policy", "Policy", "o_tune", "policy", "How much, when, and how mixed.", main=True),
    PageEntry("/concepts", "Concepts", "o_area_chart", "concepts", "What vague words mean: cheap, recent, large."),
    PageEntry(
        "/notifications",
        "Notifications",
        "o_notifications",
        "notifications",
        "Where deliveries are pushed to, and when not.",
    ),
    PageEntry(
        "/monitor", "Monitor", "o_monitor_heart", "monitor", "What comes in, and what becomes of it.", _OPERATION
    ),
    PageEntry(
        "/advertisements",
        "Advertisements",
        "o_campaign",
        "advertisements",
        "What publishers promise, and to how many.",
        _OPERATION,
        administrators=True,
    ),
    PageEntry(
        "/administration",
        "Administration",
        "o_admin_panel_settings",
        "administration",
        "Users, what went wrong, and who changed what.",
        _OPERATION,
        administrators=True,
    ),
    PageEntry("/worlds", "Worlds", "o_public", "worlds", "Ready data to play with, one click each.", _LEARNING),
    PageEntry("/intervals", "Intervals", "o_straighten", "intervals", "What matches as a value gets vague.", _LEARNING),
    PageEntry("/cover", "Cover graph", "o_account_tree", "cover", "Which subscriptions contain which.", _LEARNING),
    PageEntry("/overlay", "Overlay", "o_hub", "overlay", "Brokers, and what they forward to each other.", _LEARNING),
    PageEntry(
        "/gallery",
        "Gallery",
        "o_insert_chart_outlined",
        "gallery",
        "The figures of the papers, made again.",
        _LEARNING,
    ),
)
