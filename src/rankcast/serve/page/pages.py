"""The list of pages: each is a module of this package with a function ``build(view)``."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.serve.page.visitors import View

__all__ = ["PAGES", "Page", "present"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page: where it is, what it is called, its icon (of Material Icons), the sentence below its title, and the module
    that builds it. `main` ones are in the bar of a phone, the others behind "More"."""

    path: str
    title: str
    icon: str
    module: str
    hint: str
    main: bool = False

    @property
    def exists(self) -> bool:
        """Whether its module is installed."""
        return find_spec(f"rankcast.serve.page.{self.module}") is not None

    async def build(self, view: "View") -> None:
        """Put its elements where we are. The module's `build` may be a coroutine; it has three seconds."""
        build: Callable[[View], Awaitable[None] | None] = import_module(f"rankcast.serve.page.{self.module}").build
        made = build(view)
        if inspect.isawaitable(made):
            await made


PAGES = (
    Page("/", "Feed", "o_view_agenda", "feed", "What was worth sending, and why.", main=True),
    Page(
        "/subscriptions",
        "Subscriptions",
        "o_bookmarks",
        "subscriptions",
        "What you want to hear of.",
        main=True,
    ),
    Page("/preferences", "Preferences", "o_swap_vert", "preferences", "What you would rather hear of.", main=True),
    Page("/policy", "Policy", "o_tune", "policy", "How much, when, and how mixed.", main=True),
    Page("/concepts", "Concepts", "o_area_chart", "concepts", "What vague words mean: cheap, recent, large."),
    Page("/monitor", "Monitor", "o_monitor_heart", "monitor", "What comes in, and what becomes of it."),
    Page("/cover", "Cover graph", "o_account_tree", "cover", "Which subscriptions contain which."),
    Page("/overlay", "Overlay", "o_hub", "overlay", "Brokers, and what they forward to each other."),
    Page("/gallery", "Gallery", "o_insert_chart_outlined", "gallery", "The figures of the papers, made again."),
    Page("/worlds", "Worlds", "o_public", "worlds", "Ready data to play with, one click each."),
)


def present() -> list[Page]:
    """The pages whose modules are installed, in order."""
    return [page for page in PAGES if page.exists]
