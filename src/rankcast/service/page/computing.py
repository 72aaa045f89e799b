"""What takes long runs in a process of its own: it is killed after a time, shared fairly, and ends with the page that asked."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui import ui

from rankcast.service.page.visitors import View

__all__ = ["compute"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def compute(view: View, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """What a function of a module returns; a problem (`RankcastError`) if it takes longer than `limits.trial_seconds`.

    Arguments and result go through a pipe. The module must not import NiceGUI, which a child would take a second to load.
    """
    client = ui.context.client

    async def is_gone() -> bool:
        return client.is_deleted

    # Each kind by itself: what pages count by themselves must not keep the visitor from trying something.
    who = f"{view.visitor.who}: {function.__name__}"
    return await view.service.trials.run_for(who, is_gone, function, *arguments, **named)
