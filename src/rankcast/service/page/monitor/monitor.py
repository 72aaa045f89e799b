"""The monitor: the funnel, crisp and approximate matches, throughput, rejects."""

import asyncio
from datetime import UTC, datetime, timedelta
from time import monotonic

from nicegui import ui

from rankcast.errors import RankcastError, StoreError
from rankcast.language.event_words import cut, facts, title_of
from rankcast.service.page.charts import ChartLine, draw, line_chart, over_time
from rankcast.service.page.controls import toggle
from rankcast.service.page.drawings import wear
from rankcast.service.page.failures import UnreadableView, set_aside_table
from rankcast.service.page.monitor.activity import RANGES, Activity, VagueView, activity_of
from rankcast.service.page.monitor.studies import show_groups, show_teams
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import (
    demo_link,
    emptied,
    empty,
    figure,
    fill_bar,
    group,
    more_line,
    row,
    table,
    words,
)
from rankcast.service.studies.vague_matches import BestMatch, MatchesByKind, kinds_in_history
from rankcast.service.trial_tasks import funnel_history
from rankcast.service.trials import Funnel
from rankcast.store.status import Status, status

RECENT = 500
"""The number of recent events for the funnel and the matches."""

_SHOWN = 8
_MOST_USERS = 12
_PAUSE = 10.0
"""Seconds between counts for all users, because each count replays every user."""

_EVERY = 2.0
_SLOW = 10.0
"""Seconds between drawings of a chart over more than an hour."""

_STAGES = (
    ("Published", "events that came in"),
    ("Matched", "meet a subscription"),
    ("Ranked", "new enough to compete"),
    ("Delivered", "were sent"),
)


async def build(view: View) -> None:
    """Build the monitor of a user; administrators can also choose all users."""
    wear()
    if not await asyncio.to_thread(view.service.store.last_offset):
        with empty(
            "o_monitor_heart", "Nothing was published yet", "Publish something, or let a demo world publish for you."
        ):
            demo_link()
        return
    monitor = _Monitor(view)
    await monitor.look()
    ui.timer(_EVERY, monitor.look)


class _Monitor:
    """The page; `look` refreshes it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._seen = (-1, -1, "")
        self._again = 0.0
        self._drawn_at = 0.0
        with group("section", "rc-card rc-column", aria_label="The pipeline"):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", "The pipeline")
                self._health = words("span", "", "rc-pill")
            self._figures = group("dl", "rc-figures")
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h3", "Over time")
                first = next(iter(RANGES))
                self._range = toggle(
                    "Range of time", list(RANGES), first, self._ranged, classes="rc-speeds rc-wrapping"
                )
            self._drawn = line_chart("Events per second")
            self._lag = line_chart("Events that waited")
            self._waited = words("p", "", "rc-soft rc-small")
        with group("section", "rc-card rc-column", aria_label="The funnel"):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", f"The last {RECENT} events")
                self._whose = toggle("Whose funnel", {"me": view.user, "all": "Everybody"}, "me", self._turned)
                self._whose.visible = view.visitor.switches
            self._funnel = group("div", "rc-column")
        with group("section", "rc-column", aria_label="Crisp against approximate"):
            self._kinds = group("div", "rc-columns")
            self._vague = VagueView(view)
        if view.visitor.switches:
            show_groups(view)
            show_teams(view)
        self._rejects = group("section", "rc-card rc-column", aria_label="Rejects")
        self._rejects.visible = view.visitor.switches
        self._set_aside = group("section", "rc-card rc-column", aria_label="Set aside")
        self._unreadable = UnreadableView(view, view.user)

    async def _ranged(self, name: str) -> None:
        self._drawn_at = 0.0
        await self._draw()

    async def _draw(self) -> None:
        """Draw what the store recorded over the chosen range."""
        span = RANGES[self._range.value]
        if span > timedelta(hours=1) and monotonic() < self._drawn_at + _SLOW:
            return
        self._drawn_at = monotonic()
        samples, every = await asyncio.to_thread(self._view.service.sampler.log.over, span)
        self._show_activity(activity_of(samples, every, datetime.now(UTC)), span.total_seconds())
        await self._vague.draw(span)

    def _show_activity(self, activity: Activity, span: float) -> None:
        rates = activity.rates
        lines = [
            ChartLine("published", [(rate.ago, rate.published) for rate in rates], "var(--rc-c0)", filled=True),
            ChartLine("delivered", [(rate.ago, rate.delivered) for rate in rates], "var(--rc-c1)"),
        ]
        draw(self._drawn, over_time(lines, span, "events per second", activity.gaps))
        waited = [(rate.ago, rate.waiting) for rate in rates]
        waiting = ChartLine("most events that waited", waited, "var(--rc-c2)", filled=True)
        draw(self._lag, over_time([waiting], span, "events waiting", activity.gaps))
        longest = max((rate.waited for rate in rates), default=0.0)
        self._waited.text = f"longest wait {longest:.1f} s" if longest >= 0.1 else "nothing waited long"

    async def _turned(self, whose: str) -> None:
        self._seen = (-1, -1, "")
        with emptied(self._funnel):
            words("p", "Counting …", "rc-soft")
        await self.look()

    async def look(self) -> None:
        """Refresh the page. The costly parts are refreshed only if something has changed."""
        service, user = self._view.service, self._view.user
        try:
            now = await asyncio.to_thread(status, service.store.database)
            self._show_pipeline(now)
            await self._draw()
        except StoreError:
            return
        seen = (now.served, now.version, str(self._whose.value))
        if seen == self._seen or (seen[2] == "all" == self._seen[2] and monotonic() < self._again):
            return
        self._seen = seen
        self._again = monotonic() + _PAUSE
        try:
            if seen[2] == "all":
                everybody = await asyncio.to_thread(service.users)
                users = sorted(everybody, key=lambda one: one != user)[:_MOST_USERS]  # the current user first
                funnels = [await self._counted(one) for one in users]
                if seen == self._seen:
                    self._show_everybody(dict(zip(users, funnels, strict=True)), len(everybody))
            else:
                funnel = await self._counted(user)
                if seen == self._seen:
                    self._show_funnel(funnel)
            part = await asyncio.to_thread(service.part_of, user)
            self._show_kinds(await compute(self._view, kinds_in_history, service.history(RECENT), part, user))
        except RankcastError as error:  # it takes too long, or too many trials are running
            self._seen = (-1, -1, "")
            self._show_trouble(str(error))
        if self._view.visitor.switches:
            await self._show_rejects(now.rejects)
        await self._show_set_aside(now.set_aside)
        await self._unreadable.load()

    async def _counted(self, user: str) -> Funnel:
        service = self._view.service
        part = await asyncio.to_thread(service.part_of, user)
        return await compute(self._view, funnel_history, service.history(RECENT), user, part)

    def _show_trouble(self, said: str) -> None:
        with emptied(self._funnel):
            words("p", said, "rc-note rc-warn")

    def _show_pipeline(self, now: Status) -> None:
        runner, pipeline = self._view.service.runner, now.pipeline
        told, kind = "up to date", ""
        if runner.error:
            told, kind = "failing", "rc-bad"
        elif now.lag:
            told = "working"
            if not runner.is_running and (pipeline is None or pipeline.engine == "process"):
                told, kind = "not running", "rc-bad"
        self._health.text = told
        self._health.classes(replace=f"rc-pill {kind}")
        with emptied(self._figures):
            figure("published", f"{now.published:,}")
            figure("delivered", f"{now.deliveries:,}")
            figure("waiting", f"{now.lag:,}{_since(now.waiting_since)}")
            if pipeline is not None:
                figure("late", f"{pipeline.late:,}", "events that came after their time was over")
                if pipeline.seconds:
                    figure("last batch", f"{pipeline.seconds * 1000:,.0f} ms")
                figure("served by", "Spark" if pipeline.engine == "spark" else "this process")
            else:
                figure("batches", f"{runner.batches:,}")
            figure("rejects", f"{now.rejects:,}")
            figure("set aside", f"{now.set_aside:,}", "what could not be served, for one user or one event")
        if runner.error:
            with self._figures:
                words("p", runner.error, "rc-note rc-bad")

    def _show_funnel(self, funnel: Funnel) -> None:
        with emptied(self._funnel), group("ol", "rc-funnel"):
            before = None
            for (name, meaning), count in zip(_STAGES, funnel, strict=True):
                with group("li"):
                    words("span", name, "rc-strong")
                    words("span", meaning, "rc-soft rc-small")
                    share = count / funnel.published if funnel.published else 0
                    with group("span", "rc-stage", role="img", aria_label=f"{count} of {funnel.published}"):
                        if count:
                            ui.element("span").style(f"width: {100 * share:.2f}%")
                    words("span", f"{count:,}", "rc-number rc-strong")
                    told = "" if before is None else f"{count / before:.0%} of these" if before else "–"
                    words("span", told, "rc-soft rc-small rc-number")
                before = count

    def _show_everybody(self, funnels: dict[str, Funnel], users: int) -> None:
        with emptied(self._funnel):
            with table("Everybody's funnel", ("User", *(name for name, _ in _STAGES)), "rc-number"):
                for user, funnel in funnels.items():
                    with group("tr"):
                        words("td", user, "rc-strong")
                        for count in funnel:
                            with group("td"), group("span", "rc-row"):
                                fill_bar(count / max(funnel.published, 1), f"{count} of {funnel.published}")
                                words("span", f"{count:,}")
            more_line(users - len(funnels), "users", "rc-soft")

    def _show_kinds(self, kinds: MatchesByKind) -> None:
        with emptied(self._kinds):
            with group("section", "rc-card rc-column"):
                words("h2", f"{len(kinds.outright):,} match outright")
                words("p", "Possible and certain: what a crisp system would find, too.", "rc-soft rc-small")
                for match in kinds.outright[:_SHOWN]:
                    _outright(match)
                _none(kinds.outright, "None of the recent events matches this user outright.")
            with group("section", "rc-card rc-column"):
                words("h2", f"{len(kinds.vaguely):,} match only to a degree")
                words("p", "What a crisp system would miss, or could not tell.", "rc-soft rc-small")
                for match in kinds.vaguely[:_SHOWN]:
                    _vague(match)
                if kinds.left_out:
                    words("p", f"{kinds.left_out:,} subscriptions were not looked at.", "rc-soft rc-small")
                _none(kinds.vaguely, "No vague match: it takes a vague word in a subscription, or an imprecise offer.")

    async def _show_set_aside(self, count: int) -> None:
        """Show what was set aside: everything to administrators, and to users only their own."""
        of = None if self._view.visitor.switches else self._view.user
        rows = (await asyncio.to_thread(self._view.service.store.set_aside, of, 10))[::-1]
        with emptied(self._set_aside):
            if not rows:
                words("h2", "Nothing set aside")
                words("p", "Everything could be served.", "rc-soft")
                return
            words("h2", f"{count:,} set aside" if of is None else "Set aside for you")
            words("p", "Serving these failed. An administrator can serve them again.", "rc-soft rc-small")
            set_aside_table(rows)

    async def _show_rejects(self, count: int) -> None:
        rejects = (await asyncio.to_thread(self._view.service.store.rejects, 10))[::-1]
        with emptied(self._rejects):
            words("h2", f"{count:,} rejects" if count else "No rejects")
            if not rejects:
                words("p", "All that came in could be used.", "rc-soft")
                return
            with table("What was rejected", ("When", "Where", "Why", "What")):
                for reject in rejects:
                    where = f"{reject.file}:{reject.line}" if reject.line else reject.file
                    raw = cut(reject.raw, 120), "rc-code"
                    row((f"{reject.when:%Y-%m-%d %H:%M:%S}", "rc-number"), where, reject.reason, raw)


def _outright(match: BestMatch) -> None:
    with group("div", "rc-sighting"):
        words("span", title_of(match.event), "rc-strong")
        told = ", ".join(f"{name} {value}" for name, value in facts(match.event, 4))
        words("span", f"{match.subscription.id}: {told}", "rc-soft rc-small")


def _vague(match: BestMatch) -> None:
    with group("div", "rc-sighting"):
        words("span", title_of(match.event), "rc-strong")
        words("span", f"{match.subscription.id}: {'; '.join(match.vague)}", "rc-soft rc-small")
        with group("span", "rc-row rc-small rc-number"):
            for name, value in (("possible", match.possibility), ("certain", match.necessity)):
                fill_bar(value, f"{name} to {value:.2f}")
                words("span", f"{name} {value:.2f}")


def _none(found: tuple[BestMatch, ...], text: str) -> None:
    if not found:
        words("p", text, "rc-soft")
    more_line(len(found) - _SHOWN)


def _since(waiting: datetime | None) -> str:
    if waiting is None:
        return ""
    seconds = max((datetime.now(UTC) - waiting).total_seconds(), 0)
    return f" · {seconds:.0f} s" if seconds >= 1 else ""
