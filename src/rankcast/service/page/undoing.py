"""The bar that offers to undo the last change."""

from collections.abc import Awaitable, Callable

from rankcast.service.page.widgets import act, complaining, group, words


class UndoBar:
    """A place for one offer: a new one replaces the last one."""

    def __init__(self) -> None:
        self._place = group("div")

    def offer(self, said: str, undo: Callable[[], Awaitable[None]]) -> None:
        """Say what was done, and offer to undo it. `undo` also shows the page again."""

        async def undone() -> None:
            with complaining():
                await undo()
            self.withdraw()

        self.withdraw()
        with self._place, group("div", "rc-undo", role="status"):
            words("span", said)
            act("Undo", undone, kind="quiet")
            act("", self.withdraw, icon="o_close", kind="quiet", label="Close")

    def withdraw(self) -> None:
        """Take the offer away."""
        self._place.clear()
