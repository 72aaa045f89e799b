"""Studies of the monitor: each is a card that computes a table when somebody asks for it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rankcast.errors import RankcastError
from rankcast.plain import JsonObject
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import act, emptied, group, row, table, words
from rankcast.service.studies.group_study import study_recent_groups, study_recent_team


@dataclass(frozen=True)
class StudyTable:
    """What a study found: a table with its name, and a sentence about it. Without rows, only the sentence."""

    name: str
    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    summary: str


class StudyCard:
    """A title, what the study does, and a button. Nothing is computed before somebody presses it."""

    def __init__(
        self, title: str, about: str, button: str, run: Callable[[], Awaitable[StudyTable]], *, icon: str, busy: str
    ) -> None:
        self._run, self._busy = run, busy
        with group("section", "rc-card rc-column", aria_label=title):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", title)
                self._button = act(button, self._show, icon=icon)
            words("p", about, "rc-soft rc-small")
            self._found = group("div", "rc-column")

    async def _show(self) -> None:
        self._button.disable()
        self._say(self._busy)
        try:
            study = await self._run()
            self._say(study.summary, study)
        except RankcastError as error:
            self._say(str(error))
        finally:
            self._button.enable()

    def _say(self, text: str, study: StudyTable | None = None) -> None:
        with emptied(self._found):
            if study is not None and study.rows:
                _table(study)
            words("p", text, "rc-soft")


def _table(study: StudyTable) -> None:
    with table(study.name, study.titles, "rc-number"):
        for cells in study.rows:
            row(*cells)


_SIMILARITIES = (1.0, 0.8, 0.6, 0.4, 0.2)
_RECENT = 500
_GROUP_TITLES = ("Similarity", "Groups", "Users", "Filter decisions", "Messages", "Deliveries", "Mean entropy")
_NOBODY = "No two users can share a filter: it takes the same policy with a novelty filter and mode all."


def show_groups(view: View) -> None:
    """A card with a row for each similarity."""

    async def study() -> StudyTable:
        rows = await compute(view, study_recent_groups, view.service.history(_RECENT), _SIMILARITIES)
        summary = _largest(rows[-1]) if rows else _NOBODY
        return StudyTable("What sharing saves and costs", _GROUP_TITLES, [_group_cells(row) for row in rows], summary)

    about = (
        "Users with similar subscriptions and the same novelty filter could share one. Each column shows the users "
        f"alone → in groups, for the last {_RECENT} events. Nothing is changed."
    )
    StudyCard("Filters that users could share", about, "Compare", study, icon="o_groups", busy="Comparing …")


def _largest(row: JsonObject) -> str:
    members = max(row["members"].values(), key=len)
    return f"The largest group at similarity {row['similarity']:g}: {', '.join(members[:12])}."


def _group_cells(row: JsonObject) -> list[str]:
    pairs = [row[name] for name in ("decisions", "messages", "deliveries")]
    entropy = row["entropy"]
    return [
        f"{row['similarity']:g}",
        f"{row['groups']:,}",
        f"{row['users']:,}",
        *(f"{pair['alone']:,} → {pair['shared']:,}" for pair in pairs),
        f"{entropy['alone']:.3f} → {entropy['shared']:.3f} bits",
    ]


_NODES = (1, 2, 4, 8)
_ROUNDS = 10
_TEAM_TITLES = ("Nodes", "Delivered", "Of the matching", "Entropy", "Bytes per node and round")


def show_teams(view: View) -> None:
    """A card with a row for each number of nodes."""

    async def study() -> StudyTable:
        part = await asyncio.to_thread(view.service.part_of, view.user)
        history = view.service.history(_RECENT)
        found = await compute(view, study_recent_team, history, part, view.user, _ROUNDS, _NODES)
        summary = f"{found['matched']:,} of {found['of']:,} events match."
        return StudyTable(
            "What several nodes deliver", _TEAM_TITLES, [_team_cells(row) for row in found["teams"]], summary
        )

    about = (
        f"What {view.user} would get if each node held a part of the subscriptions. The last {_RECENT} events are "
        f"served in {_ROUNDS} rounds, and nodes talk after each. Nothing is changed."
    )
    StudyCard("Subscriptions on several nodes", about, "Try", study, icon="o_hub", busy="Serving …")


def _team_cells(row: JsonObject) -> list[str]:
    return [
        f"{row['nodes']}",
        f"{row['delivered']:,}",
        f"{row['share']:.1%}",
        f"{row['entropy']:.3f} bits",
        f"{row['bytes']:,.0f}",
    ]
