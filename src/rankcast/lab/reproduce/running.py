"""Runs experiments; skips those that have results of the same code."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
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
from rankcast.lab.reproduce.fingerprint import fingerprint

__all__ = ["reproduce"]

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
