"""What a user does with a delivery: read, save, dismiss, and ask for more or less like it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from nicegui import ui

from rankcast.errors import RankcastError
from rankcast.language.event_words import cut, title_of
from rankcast.model import Subscription
from rankcast.rank import scores_of
from rankcast.service.page.reasons import Arrival, subscription_name
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import UndoBar, act, complaining, group, set_props, words
from rankcast.store import Reaction

_STEP = 0.1


@dataclass
class Reactions:
    """The reactions that the page knows, by event; `changed` is called after each change."""

    undo: UndoBar
    changed: Callable[[], None]
    of: dict[str, Reaction] = field(default_factory=dict)


def changed_score(score: float, direction: int) -> float:
    """The score of a subscription of which a user wants more (1) or less (-1).

    >>> changed_score(0.5, 1), changed_score(0.95, 1), changed_score(0.0, -1)
    (0.6, 1.0, 0.0)
    """
    return min(max(round(score + _STEP * direction, 2), 0.0), 1.0)


class ReactionBar:
    """The buttons of one card."""

    def __init__(self, view: View, card: ui.element, arrival: Arrival, reactions: Reactions) -> None:
        self._view = view
        self._card = card
        self._arrival = arrival
        self._reactions = reactions
        title = cut(title_of(arrival.event), 60)
        self._save = act("", self._toggle_saved, icon="o_bookmark_border", kind="quiet", label=f"Save {title}")
        act("", self._dismiss, icon="o_close", kind="quiet", label=f"Dismiss {title}")
        with act("", self._fill, icon="o_more_vert", kind="quiet", label=f"More about {title}"):
            self._menu = ui.menu().props("no-parent-event").classes("rc-menu")
        self._show()

    @property
    def _reaction(self) -> Reaction:
        return self._reactions.of.get(self._arrival.event.id, Reaction())

    def _show(self) -> None:
        reaction = self._reaction
        self._card.classes(remove="rc-unread" if reaction.is_read else "", add="" if reaction.is_read else "rc-unread")
        self._save.props(f"icon={'bookmark' if reaction.is_saved else 'o_bookmark_border'}")
        set_props(self._save, aria_pressed="true" if reaction.is_saved else "false")

    async def react(self, reaction: Reaction) -> None:
        """Keep a reaction, and show it."""
        name, user = self._arrival.event.id, self._view.user
        await asyncio.to_thread(self._view.service.reactions.react, user, name, reaction)
        self._reactions.of[name] = reaction
        if not self._card.is_deleted:
            self._show()
        self._reactions.changed()

    async def read(self) -> None:
        """Note that the user has read the delivery."""
        if not self._reaction.is_read:
            with complaining():
                await self.react(self._reaction._replace(is_read=True))

    async def _toggle_saved(self) -> None:
        with complaining():
            await self.react(self._reaction._replace(is_saved=not self._reaction.is_saved, is_read=True))

    async def _dismiss(self) -> None:
        before = self._reaction
        with complaining():
            await self.react(before._replace(is_dismissed=True, is_read=True))
            self._reactions.undo.offer(
                f"Dismissed {cut(title_of(self._arrival.event), 40)}", lambda: self.react(before)
            )

    def _fill(self) -> None:
        """Build the menu when it is first opened: a feed has many cards."""
        self._menu.clear()
        is_read = self._reaction.is_read
        with self._menu:
            _entry("o_thumb_up", "More like this", lambda: self._taste(1))
            _entry("o_thumb_down", "Less like this", lambda: self._taste(-1))
            _entry(
                "o_mark_email_unread" if is_read else "o_mark_email_read",
                "Mark as unread" if is_read else "Mark as read",
                lambda: self.react(self._reaction._replace(is_read=not is_read)),
            )
        self._menu.open()

    async def _taste(self, direction: int) -> None:
        """Change the score of the subscription that decided, and offer to undo it."""
        with complaining():
            old, score = await asyncio.to_thread(self._deciding)
            new = replace(old, score=changed_score(score, direction))
            if new.score == score:
                raise RankcastError(
                    f"the score of {subscription_name(old)} is {score:g} already; scores go from 0 to 1"
                )
            await asyncio.to_thread(self._view.service.put, new)
            said = f"{subscription_name(old)} has score {new.score:g} now (before: {score:.3g})"
            self._reactions.undo.offer(said, lambda: self._restore(old))
            await self.read()

    def _deciding(self) -> tuple[Subscription, float]:
        """The best of the subscriptions that matched, and its score."""
        catalog, user = self._view.service.catalog(), self._view.user
        score_of = scores_of(catalog, user)
        known = [one for one in catalog.subscriptions_of(user) if one.id in self._arrival.delivery.subscriptions]
        if not known:
            raise RankcastError("the subscription that matched no longer exists")
        best = max(known, key=lambda one: score_of[one.id])
        return best, score_of[best.id]

    async def _restore(self, old: Subscription) -> None:
        await asyncio.to_thread(self._view.service.put, old)


def _entry(icon: str, text: str, chosen: Callable[[], object]) -> None:
    with set_props(ui.menu_item(on_click=chosen), role="menuitem"), group("span", "rc-row"):
        set_props(ui.icon(icon), aria_hidden="true")
        words("span", text)
