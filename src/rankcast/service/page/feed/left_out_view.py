"""What was left out: recent events that matched and were not sent, with the reason for each."""

from rankcast.errors import RankcastError
from rankcast.language.event_words import title_of
from rankcast.model import Catalog
from rankcast.service.page.feed.event_details import EventDetails, show_facts_of, show_subscriptions
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import act, empty, group, link, moment, rank_bar, words
from rankcast.service.studies.left_out import LeftOutEvent, LeftOutPage, recently_left_out

_RECENT = 1_000


class LeftOutView:
    """The list, which is read when it is first shown, and again on request."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._before: int | None = None
        self._is_loaded = False
        self.box = group("div", "rc-column")
        with self.box:
            self._wait = words("p", "Replaying the decisions…", "rc-soft")
            self._list = group("ol", "rc-feed", aria_label="Left out, newest first")
            self._nothing = group("div")
            with group("div", "rc-row rc-centred"):
                self._older = act("Older", self.load, icon="o_expand_more")
                act("Look again", self.reload, icon="o_refresh", kind="quiet")
        self._older.set_visibility(False)

    async def show(self, catalog: Catalog) -> None:
        """Show the list. `catalog` is the newest."""
        self._catalog = catalog
        self.box.set_visibility(True)
        if not self._is_loaded:
            await self.reload()

    async def reload(self) -> None:
        """Read the list from the newest event on."""
        self._before = None
        self._list.clear()
        await self.load()

    async def load(self) -> None:
        """Add the next older events."""
        self._wait.set_visibility(True)
        self._nothing.clear()
        service = self._view.service
        try:
            page = await compute(
                self._view,
                recently_left_out,
                service.history(_RECENT),
                self._view.user,
                service.settings.limits.explained,
                self._before,
            )
        except RankcastError as error:
            with self._nothing:
                words("p", str(error), "rc-note rc-warn")
            return
        finally:
            self._wait.set_visibility(False)
        self._is_loaded = True
        self._add(page)

    def _add(self, page: LeftOutPage) -> None:
        for one in page.events:
            with self._list:
                self._card(one)
            self._before = one.event.seq
        self._older.set_visibility(page.has_more)
        if self._before is None:
            with (
                self._nothing,
                empty(
                    "o_done_all",
                    "Nothing was left out",
                    f"Of the last {_RECENT:,} events, you got every one that matches.",
                ),
            ):
                link("Change your policy", "/policy")

    def _card(self, one: LeftOutEvent) -> None:
        title = title_of(one.event)
        with group("li", "rc-card rc-delivery rc-left-out"), group("article", "", aria_label=title) as article:
            with group("div", "rc-row rc-spread rc-heading"):
                words("h2", title)
                if one.rank is not None:
                    rank_bar(one.rank)
            words("p", one.because or "Finding the reason takes long. “Why?” shows it.", "rc-reason")
            show_facts_of(one.event, one.subscriptions, self._catalog)
            with group("div", "rc-row rc-wrap rc-foot"):
                with group("span", "rc-small rc-soft"):
                    words("span", "Published ")
                    moment(one.event.time)
                show_subscriptions(one.subscriptions, self._catalog)
                EventDetails(self._view, article, one.event)
