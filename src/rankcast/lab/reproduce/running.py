"""Runs experiments; skips those that have results of the same code."""

import ast
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from hashlib import blake2b
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import NamedTuple

import msgspec

from rankcast.errors import RankcastError, did_you_mean
from rankcast.lab.reproduce.experiments import Experiment, ExperimentReport, Result, checkout, located

_Told = SimpleQueue[tuple[str, float] | None]


class _Task(NamedTuple):
    """Experiments that one process runs one after the other, because they share what they have computed."""

    names: list[str]
    out: Path
    again: bool
    folder: Path

    def run(self, on_progress: Callable[[str, float], None]) -> Iterator[Result]:
        """Run them in order."""
        known, roots = located(self.folder), (self.folder, Path(__file__).parents[2])
        for name in self.names:
            experiment, module = known[name]
            yield _run(experiment, self.out / name, fingerprint(module, roots), on_progress, self.again)


def reproduce(
    names: Sequence[str],
    out: Path,
    on_progress: Callable[[str, float], None] = lambda name, share: None,
    again: bool = False,
    folder: Path | None = None,
    processes: int = 1,
) -> Iterator[Result]:
    """Run experiments by name (`["all"]` for all); skip those that have a result of the same code under `out`.

    With several processes, so many papers are reproduced at the same time, and after them, alone, what is timed.
    """
    folder = folder or checkout() / "experiments"
    known = located(folder)
    chosen = list(known) if list(names) == ["all"] else list(names)
    for name in chosen:
        if name not in known:
            raise RankcastError(
                f"there is no experiment {name!r}{did_you_mean(name, known)} (see: rankcast reproduce --list)"
            )
    if min(processes, len(chosen)) == 1:
        yield from _Task(chosen, out, again, folder).run(on_progress)
        return
    timed = [name for name in chosen if known[name][0].is_timed]
    rest = [name for name in chosen if name not in timed]
    papers = groupby(rest, key=lambda name: known[name][0].paper)
    results = _at_once([_Task(list(group), out, again, folder) for _, group in papers], processes, on_progress)
    results += _Task(timed, out, again, folder).run(on_progress)
    yield from sorted(results, key=lambda result: chosen.index(result.name))


def _at_once(tasks: Sequence[_Task], processes: int, on_progress: Callable[[str, float], None]) -> list[Result]:
    """Run several tasks at the same time."""
    context = get_context("spawn")
    told: _Told = context.SimpleQueue()

    def tell() -> None:
        while (progress := told.get()) is not None:
            on_progress(*progress)

    teller = Thread(target=tell, name="rankcast-progress", daemon=True)
    teller.start()
    try:
        with ProcessPoolExecutor(processes, context, _begin, (told,)) as pool:
            return [result for results in pool.map(_run_task, tasks) for result in results]
    finally:
        told.put(None)
        teller.join()


_told: _Told
"""In a process of the pool: where progress is told."""


def _begin(told: _Told) -> None:
    global _told
    _told = told


def _run_task(task: _Task) -> list[Result]:
    return list(task.run(lambda name, share: _told.put((name, share))))


def _run(
    experiment: Experiment, folder: Path, code: str, on_progress: Callable[[str, float], None], again: bool
) -> Result:
    summary = folder / "result.json"
    kept = None if again else _kept(summary)
    if kept is not None and kept.fingerprint == code:
        on_progress(experiment.name, 1.0)
        return kept
    folder.mkdir(parents=True, exist_ok=True)
    report = ExperimentReport(folder, lambda share: on_progress(experiment.name, share))
    start = perf_counter()
    experiment.run(report)
    result = Result(
        name=experiment.name,
        title=experiment.title,
        source=experiment.source,
        seconds=round(perf_counter() - start, 2),
        fingerprint=code,
        comparisons=report.comparisons,
        files=report.files,
        remarks=report.remarks,
    )
    summary.write_bytes(msgspec.json.format(msgspec.json.encode(result)))
    on_progress(experiment.name, 1.0)
    return result


def _kept(summary: Path) -> Result | None:
    """The result of an earlier run; None if there is none, or if a former version wrote it in another form."""
    try:
        return msgspec.json.decode(summary.read_bytes(), type=Result)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def fingerprint(module: Path, roots: tuple[Path, ...]) -> str:
    """A digest of a module and of all modules below `roots` that it imports, directly or indirectly.

    Changes to other code do not make an experiment run again.
    """
    known: set[Path] = set()
    following = [module]
    while following:
        path = following.pop()
        if path not in known:
            known.add(path)
            following += [found for name in _imported(path) for found in _files(name, roots)]
    digest = blake2b(digest_size=8)
    for path in sorted(known):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _parsed(path: Path, changed: float) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


def _imported(path: Path) -> tuple[str, ...]:
    """The dotted names that a module imports; some may name members of a module."""
    return _parsed(path, path.stat().st_mtime)


def _files(name: str, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The files that importing a module below one of the roots executes: those of its packages, then its own."""
    parts = name.split(".")
    for root in roots:
        if parts[0] != root.name:
            continue
        for length in range(1, len(parts) + 1):
            base = root.parent.joinpath(*parts[:length])
            for path in (base / "__init__.py", base.with_suffix(".py")):
                if path.is_file():
                    yield path
