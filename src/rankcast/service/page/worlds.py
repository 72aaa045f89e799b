"""The built-in demo datasets: open one with a click, and choose its speed."""

import asyncio
from collections.abc import Callable

from nicegui import ui

from rankcast.language.event_words import title_of
from rankcast.service.demos import SPEEDS, WORLDS, DemoStream, StreamState, stream_of
from rankcast.service.page.controls import toggle
from rankcast.service.page.drawings import wear
from rankcast.service.page.shell import become
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, set_props, words

_SAID = {
    StreamState.CLOSED: "Not opened yet",
    StreamState.LOADING: "Reading the data…",
    StreamState.PLAYING: "Playing",
    StreamState.PAUSED: "Paused",
    StreamState.ENDED: "Finished: everything is published",
    StreamState.FAILED: "Stopped",
}


def build(view: View) -> None:
    """Build a card for each dataset."""
    wear()
    words(
        "p",
        "Real data, published as if it came in now, to demo users with different tastes. Look at their feeds, change what "
        "they want, and see what happens. A world that you open again continues where it stopped.",
        "rc-soft",
    )
    if not view.visitor.switches:
        words("p", "Only an administrator can open, pause and pace worlds.", "rc-note")
    with group("div", "rc-columns"):
        for name in WORLDS:
            _WorldCard(view, stream_of(view.service, name))


class _WorldCard:
    """One dataset: description, progress, controls and users."""

    def __init__(self, view: View, stream: DemoStream) -> None:
        self._view = view
        self._stream = stream
        world = stream.world
        with group("section", "rc-card rc-column", aria_label=f"World: {world.title}"):
            words("h2", world.title)
            words("p", world.summary)
            words("p", world.data, "rc-soft rc-small")
            with group("div", "rc-column rc-tight", aria_live="polite"):
                self._bar = ui.linear_progress(0, show_value=False, color="primary").props("rounded size=8px")
                set_props(self._bar, aria_label=f"How much of {world.title} was published")
                self._told = words("p", "", "rc-number rc-small rc-soft")
                self._wrong = words("p", "", "rc-note rc-bad")
            with group("div", "rc-row rc-wrap"):
                self._open = act("Open this world", self._opened, icon="o_play_arrow", kind="main")
                self._pause = act("Pause", self._paused, icon="o_pause")
                self._go_on = act("Play on", self._opened, icon="o_play_arrow", kind="main")
                speeds = {speed: f"{speed}/s" for speed in SPEEDS}
                self._speed = toggle("Events per second", speeds, stream.speed, self._paced)
            words("h3", "Demo users")
            with group("ul", "rc-people"):
                self._latest = [_person(view, user, story) for user, story in world.people.items()]
        self._shown()
        ui.timer(0.5, self._shown)
        ui.timer(1.5, self._people_shown, immediate=True)
        if stream.state is StreamState.CLOSED:
            ui.timer(0.1, self._found, once=True)

    async def _opened(self) -> None:
        with complaining():
            await asyncio.to_thread(self._stream.open, self._speed.value)
        self._shown()

    async def _paused(self) -> None:
        await asyncio.to_thread(self._stream.pause)
        self._shown()

    def _paced(self, speed: float) -> None:
        self._stream.speed = speed

    async def _found(self) -> None:
        """Find the progress in the log after a restart."""
        if not set(self._stream.world.people) <= set(await asyncio.to_thread(self._view.service.users)):
            return
        self._told.text = "Looking for its progress…"
        with complaining():
            await asyncio.to_thread(self._stream.find)
        self._shown()

    def _shown(self) -> None:
        stream, state = self._stream, self._stream.state
        begun = state is not StreamState.CLOSED
        self._bar.visible = begun
        if stream.total:
            self._bar.value = stream.position / stream.total
        count = f" · {stream.position:,} of {stream.total:,} events" if stream.total else ""
        ahead = ""
        if state is StreamState.PLAYING and stream.position < stream.total:
            ahead = f" · {_duration((stream.total - stream.position) / stream.speed)} to go"
        said = "Waiting for the pipeline" if state is StreamState.PLAYING and stream.is_waiting else _SAID[state]
        self._told.text = f"{said}{count if begun else ''}{ahead}"
        self._wrong.text, self._wrong.visible = stream.error or "", state is StreamState.FAILED
        allowed = self._view.visitor.switches
        self._open.visible = allowed and state is StreamState.CLOSED
        self._pause.visible = allowed and state in (StreamState.PLAYING, StreamState.LOADING)
        self._go_on.visible = allowed and state in (StreamState.PAUSED, StreamState.FAILED)
        self._speed.visible = allowed and state is not StreamState.ENDED
        if self._speed.value != stream.speed:
            self._speed.value = stream.speed

    async def _people_shown(self) -> None:
        if self._stream.state is StreamState.CLOSED:
            return
        for shown in self._latest:
            await asyncio.to_thread(shown)


def _person(view: View, user: str, story: str) -> Callable[[], None]:
    """Add a line about a user. The returned function refreshes what the user received last."""
    with group("li", "rc-column rc-tight"), group("div", "rc-row rc-wrap"):
        if view.visitor.switches:
            name: ui.element = act(
                user, lambda: become(user, "location.href = '/'"), kind="quiet", label=f"See the feed of {user}"
            )
        else:
            name = words("span", user)
        name.classes("rc-strong")
        words("span", story, "rc-soft rc-small")
        latest = words("p", "", "rc-small rc-latest")
    latest.visible = False

    def show() -> None:
        found = view.service.deliveries(user, limit=1, newest_first=True) if view.visitor.switches else []
        event = view.service.event(found[0][1].event) if found else None
        if event is not None:
            latest.text, latest.visible = f"Last sent: {title_of(event)}", True

    return show


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
