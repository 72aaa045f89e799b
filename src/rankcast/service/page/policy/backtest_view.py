"""Two policies side by side: what each would have sent from the same events."""

from collections.abc import Sequence
from datetime import timedelta

from rankcast.language import show_duration
from rankcast.language.event_words import title_of
from rankcast.model import Event
from rankcast.service.page.widgets import figures, fill_bar, group, words
from rankcast.service.studies.backtests import Backtest

_MOST = 15


def show_backtests(now: Backtest, then: Backtest | None, events: Sequence[Event]) -> None:
    """Show measures and deliveries of both, newest first. Deliveries of only one of them are highlighted.

    `then` is None if nothing was changed.
    """
    titles = {event.id: title_of(event) for event in events}
    sides = [("Saved policy", now, now)] if then is None else [("Saved policy", now, then), ("New policy", then, now)]
    both = {one.event for one in now.sent} & {one.event for one in (then or now).sent}
    compared = "" if then is None else f" Both send {len(both):,} of them."
    words("p", f"Tried on the last {len(events):,} events, from an empty window.{compared}", "rc-soft rc-small")
    with group("div", "rc-sides"):
        for name, side, other in sides:
            with group("section", "rc-card rc-column", aria_label=name):
                words("h2", name)
                _show_figures(side, other)
                _show_sent(side, both, titles)


def _show_figures(side: Backtest, other: Backtest) -> None:
    rank, diversity, wait = _number(side.rank), _number(side.diversity), _span(side.wait)
    found = {"Sent": f"{len(side.sent):,}", "Mean rank": rank, "Diversity": diversity, "Mean wait": wait}
    figures(found, "rc-compact")
    most = max(len(side.sent), len(other.sent), 1)
    fill_bar(len(side.sent) / most, f"{len(side.sent)} of at most {most}").classes("rc-wide-bar")


def _show_sent(side: Backtest, both: set[str], titles: dict[str, str]) -> None:
    if not side.sent:
        words("p", "Nothing would have been sent.", "rc-soft")
        return
    with group("ol", "rc-sent rc-small"):
        for one in side.sent[: -_MOST - 1 : -1]:
            with group("li", "rc-row" if one.event in both else "rc-row rc-only"):
                words("span", titles.get(one.event, one.event), "rc-grow")
                words("span", f"{one.rank:.2f}", "rc-number rc-soft")
        if len(side.sent) > _MOST:
            words("li", f"and {len(side.sent) - _MOST:,} before", "rc-soft")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _span(value: timedelta | None) -> str:
    if value is None:
        return "–"
    if value < timedelta(seconds=1):
        return "none"
    unit = timedelta(minutes=1) if value >= timedelta(hours=1) else timedelta(seconds=1)
    return show_duration(round(value / unit) * unit)
