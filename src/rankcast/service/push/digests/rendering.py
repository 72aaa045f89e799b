"""Rendering a digest for people: plain text, and HTML suitable for e-mail."""

from collections.abc import Iterator
from datetime import datetime
from html import escape

from rankcast.engine.explain.reasons import Reason
from rankcast.language.event_words import facts, title_of
from rankcast.model import Event
from rankcast.service.push.digests.contents import Digest, Item
from rankcast.service.push.digests.schedules import zone_of
from rankcast.store.push.digest_log import LeftOut

_SHOWN = 4
_WIDTH = 90
_OMITTED = "The best of what was left out:"


def as_text(digest: Digest) -> str:
    """The digest as plain text."""
    lines = [_heading(digest), "", digest.summary(), ""]
    for item in digest.items:
        lines.append(f"* {_title(item.event)}")
        details = _details(item.event)
        lines += [f"  {details}"] if details else []
        lines += [f"  {_because(item)}", ""]
    if digest.more:
        lines += [f"… and {digest.more:,} more.", ""]
    if digest.omitted:
        lines += [_OMITTED, *(f"- {_title(event)}: {_why(left)}" for left, event in digest.omitted), ""]
    return "\n".join(lines)


def as_html(digest: Digest) -> str:
    """The digest as an HTML page without scripts, external styles or images."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(_heading(digest))}</title>",
            "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:1.5rem auto;padding:0 1rem}"
            "h1{font-size:1.3rem}li{margin:0 0 .9rem}small{opacity:.75}ul{padding-left:1.2rem}</style></head>",
            f"<body><h1>{escape(_heading(digest))}</h1>",
            f"<p>{escape(digest.summary())}</p>",
            "<ul>",
            *_rows(digest),
            "</ul>",
            *([f"<p>… and {digest.more:,} more.</p>"] if digest.more else []),
            *_omitted(digest),
            "</body></html>",
            "",
        ]
    )


def _rows(digest: Digest) -> Iterator[str]:
    for item in digest.items:
        details = _details(item.event)
        shown = f"<br>{escape(details)}" if details else ""
        yield f"<li><strong>{escape(_title(item.event))}</strong>{shown}<br><small>{escape(_because(item))}</small></li>"


def _omitted(digest: Digest) -> Iterator[str]:
    if digest.omitted:
        yield f"<p>{_OMITTED}</p><ul>"
        for left, event in digest.omitted:
            yield f"<li>{escape(_title(event))}<br><small>{escape(_why(left))}</small></li>"
        yield "</ul>"


def _why(left: LeftOut) -> str:
    return _line(f"{Reason(left.reason).label} ({left.detail})")


def _because(item: Item) -> str:
    return _line(f"because {' and '.join(item.because)} (rank {item.delivery.rank:.3g})")


def _heading(digest: Digest) -> str:
    local = digest.due.astimezone(zone_of(digest.kept.schedule["zone"]))
    return f"Digest for {_clean(digest.kept.user)}, {_date(local)}"


def _date(local: datetime) -> str:
    return f"{local:%A}, {local.day} {local:%B %Y}, {local:%H:%M}"


def _title(event: Event) -> str:
    return _clean(title_of(event))


def _details(event: Event) -> str:
    """The first few attributes, in the order in which they were published."""
    return "; ".join(_clean(f"{name}: {value}") for name, value in facts(event, _SHOWN))


def _line(text: str) -> str:
    """The text on one line, without control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _clean(text: str) -> str:
    """The text on one line, without control characters and cut to a readable length."""
    line = _line(text)
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
