"""The list of pages. Each is a module, alone or in a folder of its own, with a function ``build(view)``."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.service.page.visitors import View


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
    PageEntry("/", "Feed", "o_view_agenda", "feed.feed", "The events that were sent to you, and why.", main=True),
    PageEntry(
        "/subscriptions",
        "Subscriptions",
        "o_bookmarks",
        "subscriptions.subscriptions",
        "Which events you want.",
        main=True,
    ),
    PageEntry(
        "/preferences",
        "Preferences",
        "o_swap_vert",
        "preferences.preferences",
        "Which subscriptions matter most to you.",
        main=True,
    ),
    PageEntry(
        "/policy",
        "Policy",
        "o_tune",
        "policy.policy",
        "How many events you get, when, and how varied they are.",
        main=True,
    ),
    PageEntry(
        "/concepts", "Concepts", "o_area_chart", "concepts.concepts", "What vague words mean: cheap, recent, large."
    ),
    PageEntry(
        "/notifications",
        "Notifications",
        "o_notifications",
        "notifications.notifications",
        "Webhooks, quiet hours and digests.",
    ),
    PageEntry(
        "/monitor",
        "Monitor",
        "o_monitor_heart",
        "monitor.monitor",
        "How many events come in, match and are delivered.",
        _OPERATION,
    ),
    PageEntry(
        "/advertisements",
        "Advertisements",
        "o_campaign",
        "advertisements.advertisements",
        "What publishers will publish, and how many subscriptions each event reaches.",
        _OPERATION,
        administrators=True,
    ),
    PageEntry(
        "/administration",
        "Administration",
        "o_admin_panel_settings",
        "administration.administration",
        "Users, failures and the audit trail.",
        _OPERATION,
        administrators=True,
    ),
    PageEntry("/worlds", "Worlds", "o_public", "worlds", "Demo datasets that open with one click.", _LEARNING),
    PageEntry(
        "/intervals",
        "Intervals",
        "o_straighten",
        "intervals.intervals",
        "How many subscriptions match when a value is imprecise.",
        _LEARNING,
    ),
    PageEntry("/cover", "Cover graph", "o_account_tree", "cover.cover", "Which subscriptions cover which.", _LEARNING),
    PageEntry(
        "/overlay", "Overlay", "o_hub", "overlay.overlay", "Brokers, and what they forward to each other.", _LEARNING
    ),
    PageEntry(
        "/gallery",
        "Gallery",
        "o_insert_chart_outlined",
        "gallery",
        "The figures of the papers, reproduced.",
        _LEARNING,
    ),
)
