"""A card that computes a table when somebody asks for it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rankcast.errors import RankcastError
from rankcast.service.page.widgets import act, group, table, words

__all__ = ["StudyCard", "StudyTable"]


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
        self._found.clear()
        with self._found:
            if study is not None and study.rows:
                _table(study)
            words("p", text, "rc-soft")


def _table(study: StudyTable) -> None:
    with table(study.name, study.titles, "rc-number"):
        for row in study.rows:
            with group("tr"):
                for cell in row:
                    words("td", cell)
