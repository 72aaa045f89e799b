"""What pages compute over recent events: pure functions that run in a process of their own (`rankcast.service.trial_pool`).

Nothing here imports NiceGUI, which a child process would take a second to load.
"""

__all__: list[str] = []
