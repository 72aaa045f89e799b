"""Long computations in a child process: limited in time, shared fairly, and ended when the page is closed."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui import ui

from rankcast.service.page.visitors import View

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def compute(view: View, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Run a module-level function in a child process and return its result.

    Raises a problem (`RankcastError`) if it takes longer than `limits.trial_seconds`. Arguments and result go through
    a pipe. The module must not import NiceGUI, which would take the child a second to load.
    """
    client = ui.context.client

    async def is_gone() -> bool:
        return client.is_deleted

    # Limit each kind separately: automatic counts of the pages must not block the trials of the visitor.
    who = f"{view.visitor.who}: {function.__name__}"
    return await view.service.trials.run_for(who, is_gone, function, *arguments, **named)
