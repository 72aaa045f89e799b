"""Filters that similar users could share, with what that saves and costs. For administrators."""

from rankcast.errors import RankcastError
from rankcast.plain import JsonObject
from rankcast.service.page.computing import compute
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, group, scroller, words
from rankcast.service.studies.group_study import study_recent_groups

__all__ = ["GroupView"]

_SIMILARITIES = (1.0, 0.8, 0.6, 0.4, 0.2)
_RECENT = 500
_TITLES = ("Similarity", "Groups", "Users", "Filter decisions", "Messages", "Deliveries", "Mean entropy")


class GroupView:
    """A button, and a table with a row for each similarity. Nothing is computed before somebody asks."""

    def __init__(self, view: View) -> None:
        self._view = view
        with group("section", "rc-card rc-column", aria_label="Filters that users could share"):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", "Filters that users could share")
                self._button = act("Compare", self._compare, icon="o_groups")
            words(
                "p",
                "Users with similar subscriptions and the same novelty filter could share one. Each column shows the "
                f"users alone → in groups, for the last {_RECENT} events. Nothing is changed.",
                "rc-soft rc-small",
            )
            self._rows = group("div", "rc-column")

    async def _compare(self) -> None:
        self._button.disable()
        self._say("Comparing …")
        try:
            history = self._view.service.history(_RECENT)
            self._show(await compute(self._view, study_recent_groups, history, _SIMILARITIES))
        except RankcastError as error:
            self._say(str(error))
        finally:
            self._button.enable()

    def _say(self, text: str) -> None:
        self._rows.clear()
        with self._rows:
            words("p", text, "rc-soft")

    def _show(self, rows: list[JsonObject]) -> None:
        if not rows:
            self._say("No two users can share a filter: it takes the same policy with a novelty filter and mode all.")
            return
        self._rows.clear()
        with self._rows, scroller("What sharing saves and costs"), group("table", "rc-table rc-number"):
            with group("thead"), group("tr"):
                for title in _TITLES:
                    words("th", title)
            with group("tbody"):
                for row in rows:
                    with group("tr"):
                        for cell in _cells(row):
                            words("td", cell)
        largest = max(rows[-1]["members"].values(), key=len)
        with self._rows:
            words(
                "p",
                f"The largest group at similarity {rows[-1]['similarity']:g}: {', '.join(largest[:12])}.",
                "rc-soft",
            )


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
