"""A smoke test of an installed Rankcast: what is installed works, and what is not says how to install it.

    python scripts/smoke.py [EXTRA...]

Run it with the Python of the environment to test, in an empty folder. The arguments are the extras that it has; without
one it checks what is there without extras. A failed check ends it with a traceback and exit code 1.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

RANKCAST = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]
FILM = {"id": "f1", "time": "2026-01-01T00:00:00Z", "attributes": {"genre": "drama", "year": 1999}}
NOWHERE = "127.0.0.1:1"
"""A port at which nobody listens."""


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    """Run a command; return what it wrote to stdout and to stderr."""
    done = subprocess.run([*RANKCAST, *arguments], capture_output=True, text=True, timeout=300)
    told = f"rankcast {' '.join(arguments)}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
    assert done.returncode == code, told
    return done.stdout, " ".join(done.stderr.split())


def base() -> None:
    """The library, the commands, the in-process engine and SQLite."""
    run("init")
    run("subscribe", "--user", "ann", "genre = 'drama' and year > 1990")
    run("publish", "events.jsonl")
    run("run")
    (delivery,) = map(json.loads, run("deliveries", "--json")[0].splitlines())
    assert (delivery["user"], delivery["event"]) == ("ann", "f1"), delivery
    run("doctor")

    import rankcast as rc

    flat = {"id": "f1", "time": "2026-01-01", "genre": "drama"}
    assert [one.event for one in rc.deliver([flat], rc.user("ann").wants("genre = 'drama'"))] == ["f1"]


def spark() -> None:
    """A replay on Spark."""
    files = ("--catalog", "catalog.jsonl", "--events", "events.jsonl", "--json")
    assert run("replay", *files, "--engine", "spark")[0] == run("replay", *files)[0]


def serve() -> None:
    """The service answers, and ends when it is asked to."""
    arguments = ["serve", "--dev", "--json", "--port", "0", "--store", "served.db"]
    with subprocess.Popen([*RANKCAST, *arguments], stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            address = json.loads(service.stdout.readline())["address"]
            for path in ("/v1/health/live", "/v1/health/ready", "/"):
                with urllib.request.urlopen(address + path, timeout=30) as answer:
                    assert answer.status == 200, f"{path} answers {answer.status}"
        finally:
            service.terminate()
    assert service.returncode == 0, f"the service ended with {service.returncode}"


def kafka() -> None:
    """The client of Kafka looks for a broker."""
    _, told = run("publish", "events.jsonl", "--to", f"kafka://{NOWHERE}/films", code=3)
    assert "no answer from Kafka" in told, told


def postgres() -> None:
    """The driver of PostgreSQL looks for a server."""
    _, told = run("init", f"postgresql://{NOWHERE}/films", code=3)
    assert "no connection to the store" in told, told


def plots() -> None:
    """A picture of mined concepts."""
    from rankcast.fuzzy import NumberSummary, mine
    from rankcast.fuzzy.picture import concepts_figure

    mined = mine(NumberSummary.of("price", [float(n % 17 + 100 * (n % 3)) for n in range(600)]))
    concepts_figure(mined).savefig("price.png")
    assert Path("price.png").stat().st_size > 1_000


def demo() -> None:
    """The films are there."""
    from rankcast.lab.datasets import movies

    assert next(movies()).id == "m00001"


CHECKS: dict[str, Callable[[], None]] = {
    "spark": spark,
    "serve": serve,
    "kafka": kafka,
    "postgres": postgres,
    "plots": plots,
    "demo": demo,
}


def main() -> None:
    """Check the base, then every extra: that it works, or that its absence is explained."""
    from rankcast.errors import MissingExtra
    from rankcast.extras import EXTRAS, installation, require

    assert set(CHECKS) == set(EXTRAS), "each extra needs a check"
    installed = set(CHECKS) if "all" in sys.argv else set(sys.argv[1:])
    os.environ.pop("PYTHONPATH", None)
    Path("events.jsonl").write_text(json.dumps(FILM) + "\n")
    Path("catalog.jsonl").write_text('{"kind": "subscription", "user": "ann", "id": "s", "where": "year > 1990"}\n')
    wanted = {name: CHECKS[name] for name in CHECKS if name in installed} or {"base": base}
    for name, check in wanted.items():
        began = time.monotonic()
        check()
        print(f"  {name}: works ({time.monotonic() - began:.1f} s)", flush=True)
    for name in set(CHECKS) - installed:
        try:
            require(name)
        except MissingExtra as error:
            assert str(error).endswith(installation(name)), error
        else:
            raise AssertionError(f"the extra {name} should not be there")


if __name__ == "__main__":
    main()
