"""Computations over recent events for the pages: pure functions that run in a child process
(`rankcast.service.trial_pool`).

Nothing here imports NiceGUI, which would take a child process a second to load.
"""

__all__: list[str] = []
