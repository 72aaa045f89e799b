"""Filters that similar users could share, with what that saves and costs. For administrators."""

from rankcast.plain import JsonObject
from rankcast.service.page.computing import compute
from rankcast.service.page.monitor.study_card import StudyCard, StudyTable
from rankcast.service.page.visitors import View
from rankcast.service.studies.group_study import study_recent_groups

__all__ = ["show_groups"]

_SIMILARITIES = (1.0, 0.8, 0.6, 0.4, 0.2)
_RECENT = 500
_TITLES = ("Similarity", "Groups", "Users", "Filter decisions", "Messages", "Deliveries", "Mean entropy")
_NOBODY = "No two users can share a filter: it takes the same policy with a novelty filter and mode all."


def show_groups(view: View) -> None:
    """A card with a row for each similarity."""

    async def study() -> StudyTable:
        rows = await compute(view, study_recent_groups, view.service.history(_RECENT), _SIMILARITIES)
        summary = _largest(rows[-1]) if rows else _NOBODY
        return StudyTable("What sharing saves and costs", _TITLES, [_cells(row) for row in rows], summary)

    about = (
        "Users with similar subscriptions and the same novelty filter could share one. Each column shows the users "
        f"alone → in groups, for the last {_RECENT} events. Nothing is changed."
    )
    StudyCard("Filters that users could share", about, "Compare", study, icon="o_groups", busy="Comparing …")


def _largest(row: JsonObject) -> str:
    members = max(row["members"].values(), key=len)
    return f"The largest group at similarity {row['similarity']:g}: {', '.join(members[:12])}."


def _cells(row: JsonObject) -> list[str]:
    pairs = [row[name] for name in ("decisions", "messages", "deliveries")]
    entropy = row["entropy"]
    return [
        f"{row['similarity']:g}",
        f"{row['groups']:,}",
        f"{row['users']:,}",
        *(f"{pair['alone']:,} → {pair['shared']:,}" for pair in pairs),
        f"{entropy['alone']:.3f} → {entropy['shared']:.3f} bits",
    ]
