"""What a user would receive if the subscriptions were spread over nodes. For administrators."""

import asyncio

from rankcast.plain import JsonObject
from rankcast.service.page.computing import compute
from rankcast.service.page.monitor.study_card import StudyCard, StudyTable
from rankcast.service.page.visitors import View
from rankcast.service.studies.team_study import study_recent_team

__all__ = ["show_teams"]

_NODES = (1, 2, 4, 8)
_ROUNDS = 10
_RECENT = 500
_TITLES = ("Nodes", "Delivered", "Of the matching", "Entropy", "Bytes per node and round")


def show_teams(view: View) -> None:
    """A card with a row for each number of nodes."""

    async def study() -> StudyTable:
        part = await asyncio.to_thread(view.service.part_of, view.user)
        history = view.service.history(_RECENT)
        found = await compute(view, study_recent_team, history, part, view.user, _ROUNDS, _NODES)
        summary = f"{found['matched']:,} of {found['of']:,} events match."
        return StudyTable("What several nodes deliver", _TITLES, [_cells(row) for row in found["teams"]], summary)

    about = (
        f"What {view.user} would get if each node held a part of the subscriptions. The last {_RECENT} events are "
        f"served in {_ROUNDS} rounds, and nodes talk after each. Nothing is changed."
    )
    StudyCard("Subscriptions on several nodes", about, "Try", study, icon="o_hub", busy="Serving …")


def _cells(row: JsonObject) -> list[str]:
    return [
        f"{row['nodes']}",
        f"{row['delivered']:,}",
        f"{row['share']:.1%}",
        f"{row['entropy']:.3f} bits",
        f"{row['bytes']:,.0f}",
    ]
