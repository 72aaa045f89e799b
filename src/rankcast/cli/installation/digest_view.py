"""The output of the demo: a digest for each user, a summary, and what to try next."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from rankcast.choose import Distance
from rankcast.cli.output import Output, TableColumn, amounts, printable, table
from rankcast.language import encode_record, label
from rankcast.model import Catalog, Delivery, Event, Policy
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.model import Delivery, Event

_SHOWN = 4
_TOGETHER = 5


@dataclass(frozen=True, slots=True)
class DemoDigest:
    """The deliveries of one user, and the events that matched the user, in order of publication."""

    user: str
    catalog: Catalog
    films: Mapping[str, Event]
    matched: Sequence[str]
    deliveries: Sequence[Delivery]

    @property
    def policy(self) -> Policy:
        """The delivery policy of the user."""
        return self.catalog.policy_of(self.user)

    @property
    def mean_rank(self) -> float:
        """The mean rank of the deliveries."""
        return _mean(delivery.rank for delivery in self.deliveries)

    @property
    def share(self) -> float:
        """The share of the matches that was delivered."""
        return len(self.deliveries) / len(self.matched) if self.matched else 0.0

    def last(self) -> Sequence[Delivery]:
        """The newest deliveries, a few of them."""
        return self.deliveries[-_SHOWN:]

    def diversity(self, events: Iterable[str]) -> float:
        """The mean distance of each event to the k - 1 before it (4 if there is no k), by the user's weights."""
        distance = Distance.of(self.policy)
        return _mean(
            distance(self.films[one], self.films[other])
            for one, other in _near(list(events), self.policy.k or _TOGETHER)
        )

    def summary(self) -> JsonObject:
        """The summary as JSON."""
        return {
            "user": self.user,
            "mode": self.policy.mode.value,
            "matched": len(self.matched),
            "delivered": len(self.deliveries),
            "share": round(self.share, 4),
            "mean_rank": round(self.mean_rank, 4),
            "diversity_matched": round(self.diversity(self.matched), 4),
            "diversity": round(self.diversity(delivery.event for delivery in self.deliveries), 4),
        }


def _near(events: Sequence[str], span: int) -> Iterator[tuple[str, str]]:
    for position, event in enumerate(events):
        for other in events[max(0, position - span + 1) : position]:
            yield event, other


def _mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return fsum(found) / len(found) if found else 0.0


_COLUMNS = (
    TableColumn("user", style="bold"),
    TableColumn("mode"),
    *amounts("matched", "delivered", "share", "mean rank", "diversity"),
)

_ARTICLES = frozenset(
    ["The", "A", "An", "La", "Le", "Les", "L'", "El", "Los", "Las", "Il", "Lo", "Der", "Die", "Das", "Den", "De", "O"]
)


def show(digests: Sequence[DemoDigest], films: int, seconds: float, out: Output) -> None:
    """Print the whole output."""
    out.show(
        Text(
            f"{films:,} films were published through Spark, oldest first, one per minute. For each of the "
            f"{len(digests)} users, this shows the newest deliveries with their ranks, grouped by subscription:"
        )
    )
    for digest in digests:
        out.show(_digest(digest, out.terminal))
    matched = sum(len(digest.matched) for digest in digests)
    delivered = sum(len(digest.deliveries) for digest in digests)
    out.show(
        Text.assemble("\n", (f"{films:,} films, {len(digests)} users, {seconds:.0f} s", "bold")),
        Text(
            f"Deliveries without ranking: {matched:,}. Deliveries with ranking: {delivered:,} "
            f"({_percent(delivered, matched)}).\n"
            "Diversity: the mean distance between neighbouring films, among all matches → among the deliveries."
        ),
        table(_COLUMNS, [_row(digest) for digest in digests]),
        _next_steps(),
    )


def _digest(digest: DemoDigest, in_box: bool) -> RenderableType:
    title = Text.assemble((digest.user, "bold"), f" · {_policy(digest)}")
    count = f"{len(digest.matched):,} matched, {len(digest.deliveries):,} delivered"
    body = Group(*_reasons(digest)) if digest.deliveries else Text("nothing")
    if in_box:
        return Panel(
            body, title=title, title_align="left", subtitle=count, subtitle_align="right", box=box.ROUNDED, style=""
        )
    return Group(Text.assemble(title, f" · {count}"), Padding(body, (0, 0, 1, 2)))


def _reasons(digest: DemoDigest) -> Iterator[RenderableType]:
    """The last deliveries, grouped by reason."""
    last = sorted(digest.last(), key=lambda delivery: (delivery.subscriptions, delivery.seq))
    for subscriptions, group in groupby(last, key=lambda delivery: delivery.subscriptions):
        for number, name in enumerate(subscriptions):
            why = label(digest.catalog.subscriptions[name].where)
            yield Text(printable(f"and also: {why}" if number else why), style="italic cyan")
        yield _films([(delivery, digest.films[delivery.event]) for delivery in group])


def _films(found: "Sequence[tuple[Delivery, Event]]") -> Table:
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(justify="right", style="green", width=7)
    grid.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
    grid.add_column(ratio=2, no_wrap=True, overflow="ellipsis", style="dim")
    for delivery, film in found:
        title, year = (film.attributes[name][0] for name in ("title", "year"))  # type: ignore[index]  # crisp, all films have them
        genres = ", ".join(map(str, film.attributes.get("genre", ())))  # type: ignore[arg-type]  # crisp
        grid.add_row(f"{delivery.rank:.3f}", Text(printable(f"{_read_out(str(title))} ({year})")), genres)
    return grid


def _read_out(title: str) -> str:
    """A title in its natural order: ``The Birds`` for ``Birds, The``."""
    name, comma, article = title.rpartition(", ")
    space = "" if article.endswith("'") else " "
    return f"{article}{space}{name}" if comma and article in _ARTICLES else title


def _policy(digest: DemoDigest) -> str:
    """The policy in a few words."""
    record = encode_record(digest.policy)
    words = [record.get("mode", "all")]
    if "k" in record:
        length = record["length"]
        unit = "" if isinstance(length, str) else f" {record.get('unit', 'events')}"
        words.append(f"top {record['k']} of {length}{unit}")
    if "sigma" in record:
        words.append(f"sigma {record['sigma']:g}")
    if "filter" in record:
        words.append(f"{record['filter']['novelty']} filter, {record['filter']['rate']:.0%}")
    return ", ".join(words)


def _row(digest: DemoDigest) -> Sequence[str]:
    figures = digest.summary()
    return (
        digest.user,
        figures["mode"],
        f"{figures['matched']:,}",
        f"{figures['delivered']:,}",
        _percent(figures["delivered"], figures["matched"]),
        f"{figures['mean_rank']:.3f}",
        f"{figures['diversity_matched']:.2f} → {figures['diversity']:.2f}",
    )


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _next_steps() -> RenderableType:
    steps = {
        "init": "create your own store",
        "subscribe --user me \"genre = 'drama'\"": "subscribe to events",
        "--help": "list all commands",
    }
    width = max(map(len, steps)) + 2
    command = _command()
    lines = [
        Text.assemble(("  " + f"{command} {what}".ljust(len(command) + 1 + width), "bold"), why)
        for what, why in steps.items()
    ]
    return Group(
        Text("Next steps", style="bold"), *(Text.assemble(line, overflow="ignore", no_wrap=True) for line in lines)
    )


def _command() -> str:
    """How to call this program from the current folder."""
    if shutil.which("rankcast"):
        return "rankcast"
    called = Path(sys.argv[0])
    return str(called.relative_to(Path.cwd()) if called.is_relative_to(Path.cwd()) else called)
