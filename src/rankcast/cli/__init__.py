"""The commands: ``rankcast …``. One file per command or group of commands; `main` puts them together.

`output` alone knows about stdout and stderr, terminals and pipes, tables and progress; `exits` alone knows what an
error looks like and which exit code it gets. Heavy packages (Spark, SQLAlchemy, Arrow) are imported inside the
commands that need them, so that ``rankcast --help`` and ``rankcast relate`` answer at once.
"""

__all__: list[str] = []
