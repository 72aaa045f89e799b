"""The commands: ``rankcast …``. Each file has one command or group of commands; `main` combines them.

Only `output` deals with stdout and stderr, terminals and pipes, tables and progress. Only `exits` formats errors and
chooses exit codes. Heavy packages (Spark, SQLAlchemy, Arrow) are imported inside the commands that need them, so that
``rankcast --help`` and ``rankcast relate`` start fast.
"""

__all__: list[str] = []
