"""``rankcast watch``: follow the feed of one user in the terminal."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.completion import complete_user
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, check_user
from rankcast.cli.output import Output

if TYPE_CHECKING:
    from rankcast.model import Catalog, Delivery, Event
    from rankcast.store import Store

_POLL = 0.5


def watch(
    user: Annotated[str, typer.Argument(metavar="USER", help="User to watch.", autocompletion=complete_user)],
    last: Annotated[int, typer.Option(min=0, max=1000, metavar="N", help="Begin with the last N deliveries.")] = 5,
    once: Annotated[bool, typer.Option("--once", help="Show the last deliveries and exit.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Follow the feed of a user: each delivery with its title, what matched, and how long it waited, until Ctrl-C.

    Example:

      rankcast watch addison
      rankcast watch addison --last 20 --once
    """
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        check_user(opened.catalog(), user)
        newest = _newest(opened, user, last)
        after = newest[-1][0] if newest else opened.last_delivery()
        _show(opened, newest, out)
        if once:
            return
        if not out.as_lines:
            out.say(f"watching the feed of {user}; stop with Ctrl-C")
        try:
            while True:
                found = list(opened.deliveries(user, after, 1_000))
                _show(opened, found, out)
                after = found[-1][0] if found else after
                time.sleep(_POLL)
        except KeyboardInterrupt:
            return


def _newest(store: "Store", user: str, count: int) -> "list[tuple[int, Delivery]]":
    from rankcast.store.blocks import start_of_newest

    start = start_of_newest(store.database, user, None, count) if count else None
    return [] if start is None else list(store.deliveries(user, start - 1, count))


def _show(store: "Store", found: "list[tuple[int, Delivery]]", out: Output) -> None:
    from rankcast.language import encode_delivery

    catalog = store.catalog() if found and not out.as_lines else None
    for _, delivery in found:
        if catalog is None:
            out.record(encode_delivery(delivery))
            continue
        logged = store.event(delivery.event)
        for line in delivery_lines(delivery, None if logged is None else logged.event, catalog):
            out.line(line)
    out.flush()


def delivery_lines(delivery: "Delivery", event: "Event | None", catalog: "Catalog") -> list[str]:
    """A delivery as lines for people: time, title and rank; attributes; what matched."""
    from datetime import timedelta

    from rankcast.language import label
    from rankcast.language.event_words import facts, title_of, told_duration
    from rankcast.model import predicates_of

    known = [catalog.subscriptions[name] for name in delivery.subscriptions if name in catalog.subscriptions]
    named = {predicate.attribute for one in known for predicate in predicates_of(one.where)}
    waited = delivery.freshness
    late = f", waited {told_duration(waited)}" if waited >= timedelta(seconds=1) else ""
    title = delivery.event if event is None else title_of(event)
    lines = [f"{delivery.forwarded:%Y-%m-%d %H:%M:%S}{late}  {title}  (rank {delivery.rank:.2f})"]
    if event is not None:
        lines.append("    " + ", ".join(f"{name} {value}" for name, value in facts(event, first=named)))
    matched = "; ".join(f"{one.id}: {label(one.where)}" for one in known) or "a subscription that no longer exists"
    return [*lines, f"    matches {matched}", ""]
