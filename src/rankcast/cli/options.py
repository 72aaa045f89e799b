"""Options that several commands share, and the checks of their values."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import typer

from rankcast.cli.completion import complete_user
from rankcast.errors import CatalogError, EnvironmentProblem, did_you_mean

if TYPE_CHECKING:
    from rankcast.model import Catalog

DEFAULT_STORE = "rankcast.db"

MOST_ROWS = 10**12
"""The highest position in a log, and the highest number of rows that an option may ask for."""

MOST_RATE = 1e9
"""The highest number per second that an option may allow."""

_MOST_COST = 1e9
"""The highest cost of a policy that an option may allow, in microseconds."""

_MOST_BYTES = 2**30

_Files = TypeVar("_Files", bound=Path | list[Path] | None)


def bounded(low: float, high: float, *names: str, **about: Any) -> Any:
    """An option for a number from `low` to `high`. NaN, which lies outside no bounds, is refused too."""
    return typer.Option(*names, min=low, max=high, callback=_refuse_nan, **about)


def _refuse_nan(given: Any) -> Any:
    if any(one != one for one in (given if isinstance(given, list) else [given])):  # true of NaN alone
        raise typer.BadParameter("nan is not a number that can be compared")
    return given


def duration(*names: str, is_distance: bool = False, **about: Any) -> Any:
    """An option for a length of time: at most a hundred years, or as far as two times can be apart."""

    def check_duration(given: str | None) -> str | None:
        if given is None:
            return None
        from rankcast.language.times import LONGEST_DISTANCE, LONGEST_DURATION, parse_duration

        longest = LONGEST_DISTANCE if is_distance else LONGEST_DURATION
        if parse_duration(given) > longest:
            raise typer.BadParameter(f"{given!r} is too long; it must be at most {longest.days:,} days")
        return given

    return typer.Option(*names, callback=check_duration, **about)


Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON Lines, even on a terminal.")]

StorePath: TypeAlias = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="RANKCAST_STORE",
        metavar="FILE",
        help="Store to use: a file or a database URL.",
    ),
]

MaxEventSize: TypeAlias = Annotated[
    int,
    bounded(1, _MOST_BYTES, "--max-event-size", metavar="BYTES", help="Reject events whose JSON is larger than this."),
]

MaxAhead: TypeAlias = Annotated[
    str,
    duration(
        "--max-ahead",
        is_distance=True,
        metavar="DURATION",
        help="Reject events dated further ahead of the clock than this.",
    ),
]

MaxPolicyCost: TypeAlias = Annotated[
    float,
    bounded(
        1,
        _MOST_COST,
        "--max-policy-cost",
        metavar="MICROSECONDS",
        help="Highest estimated cost of a policy per matching event.",
    ),
]


def with_options(of: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command options in place of its parameter `options`: the fields of a named tuple, or of a dictionary.

    A dictionary has the annotations by name; those options default to None, and the command gets a dictionary.
    """
    annotations, defaults, make = (
        (of, dict.fromkeys(of), dict) if isinstance(of, dict) else (of.__annotations__, of._field_defaults, of)
    )

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: object) -> None:
            command(options=make(**{name: given.pop(name) for name in annotations}), **given)

        fields = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation)
            for name, annotation in annotations.items()
        ]
        known = signature(command).parameters
        at = list(known).index("options")
        others = list(known.values())
        run.__dict__["__signature__"] = Signature([*others[:at], *fields, *others[at + 1 :]])
        return run

    return decorated


def user_option(words: str = "User name.") -> Any:
    """An option that names a user."""
    return typer.Option("--user", "-u", metavar="NAME", help=words, autocompletion=complete_user)


UserName: TypeAlias = Annotated[str, user_option()]

OneUser: TypeAlias = Annotated[str | None, user_option()]


def existing_file(given: _Files) -> _Files:
    """The file or files that an option names; the exit code for a missing one is the same in all commands."""
    files: Path | list[Path] | None = given
    for path in [files] if isinstance(files, Path) else files or []:
        if not path.exists():
            raise EnvironmentProblem(f"there is no file {str(path)!r}")
    return given


def input_file(name: str, words: str) -> Any:
    """An option that names a file to read, or several."""
    return typer.Option(name, callback=existing_file, dir_okay=False, metavar="FILE", help=words)


def output_file(name: str, words: str) -> Any:
    """An option that names a file to write."""
    return typer.Option(name, dir_okay=False, metavar="FILE", help=words)


CatalogFile: TypeAlias = Annotated[
    Path, input_file("--catalog", "Catalog file (JSON Lines): subscriptions, preferences, policies and concepts.")
]

EventsFile: TypeAlias = Annotated[Path, input_file("--events", "Event file (JSON Lines, CSV, Parquet, …).")]

OutFile: TypeAlias = Annotated[Path | None, output_file("--out", "Write JSON Lines to this file instead of stdout.")]

RejectsFile: TypeAlias = Annotated[
    Path | None, output_file("--rejects", "Write all rejected lines to this file, as JSON Lines.")
]

KEEP_HELP = (
    "Retention rule, such as events=30d, deliveries=1000000 (rows), events=20GB or rejects=all. May be repeated. Names: "
    "events, deliveries, rejects, set-aside, catalog, digests, dead-letters, audit, sessions."
)

RetentionRules: TypeAlias = Annotated[
    list[str] | None, typer.Option("--keep", metavar="NAME=AGE|ROWS|SIZE|all", help=KEEP_HELP)
]


def check_user(catalog: "Catalog", user: str) -> None:
    """Raise CatalogError, with the likely name, if the catalog has no record of the user."""
    if not catalog.subscriptions_of(user) and user not in catalog.policies:
        raise CatalogError(f"there is no user {user!r}{did_you_mean(user, catalog.users())}")
