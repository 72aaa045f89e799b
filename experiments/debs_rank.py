"""The mean rank of delivered events. Figures 11, 12 and 13 are this experiment with different sigma."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from experiments import debs_common as debs
from rankcast.lab.reproduce import ExperimentReport, Rule
from rankcast.model import Mode

ABOVE = Rule(
    "the mean rank of delivered events is above that of all matching events",
    lambda delivered, matching: all(mean > matching for mean in delivered),
    example=([0.6, 0.47], 0.46),
    contradiction=([0.6, 0.46], 0.46),
)
FALLS = Rule(
    "the mean rank falls with each larger k (a cell is a line of the figure for a user)",
    lambda lines: all(one > other for line in lines for one, other in pairwise(line)),
    example=([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]],),
    contradiction=([[0.9, 0.8, 0.7], [0.6, 0.6, 0.4]],),
)
HIGHEST_RANKS = "so says the paper; of a period's events, the k best have the highest mean rank whatever is done"
LOWER = Rule(
    "the mean rank is below that of sigma 1",
    lambda diverse, ranked: all(one < other for one, other in zip(diverse, ranked, strict=True)),
    example=([0.5, 0.4], [0.8, 0.7]),
    contradiction=([0.5, 0.7], [0.8, 0.7]),
)
FALLS_MORE = Rule(
    "from k 4 to k 20 the mean rank falls by more than with sigma 1",
    lambda diverse, ranked: all(
        one[0] - one[-1] > other[0] - other[-1] for one, other in zip(diverse, ranked, strict=True)
    ),
    example=([[0.8, 0.5]], [[0.9, 0.8]]),
    contradiction=([[0.6, 0.55]], [[0.9, 0.8]]),
)
SLIGHTLY_MORE = Rule(
    "with diversity more events are delivered than without, by at most 10 %",
    lambda diverse, ranked: all(other < one <= 1.1 * other for one, other in zip(diverse, ranked, strict=True)),
    example=([42, 85], [40, 80]),
    contradiction=([42, 400], [40, 80]),
)


def mean_rank(sent: Sequence[debs.Sent]) -> float:
    """The mean rank over all delivered events."""
    return fmean(one.rank for one in sent)


def mean_ranks(
    report: ExperimentReport, name: str, number: int, sigma: float, users: Sequence[str]
) -> dict[str, debs.Values]:
    """The mean rank for every user, mode, length, scenario and k, as table and picture; whether it falls with k."""
    found = debs.measured(report, sigma, mean_rank, users)
    debs.tabulate(report, name, "mean rank", found)
    level = fmean(debs.mean_rank_of_all(user) for user in users)
    title = f"Figure {number}: mean rank of delivered events, sigma {sigma:g}, mean over users"
    report.figure(name, debs.panels(debs.means(found), "mean rank", title, level))
    for mode in debs.MODES:
        report.shape(
            FALLS,
            [([line],) for values in found.values() for line in debs.lines_over_k(values, mode)],
            "cells",
            "the average rank of events decreases along with k",
            _told(debs.means(found), mode),
            of=mode.value,
        )
    return found


def compare_with_ranked(report: ExperimentReport, found: Mapping[str, debs.Values]) -> None:
    """Check what diversity does to the ranks, for each mode."""
    ranked = debs.measured(report, 1.0, mean_rank, list(found))
    for mode in debs.MODES:
        pairs = [([found[user][cell]], [ranked[user][cell]]) for user in found for cell in debs.cells_of(mode)]
        if mode is Mode.PERIODIC:
            lower = f"in {sum(LOWER(*pair) for pair in pairs)} of {len(pairs)} cells"
            report.ours("periodic: mean rank below that of sigma 1", lower, note=HIGHEST_RANKS)
        else:
            paper = "when diversifying the events, there is a decrease of the average rank"
            report.shape(LOWER, pairs, "cells", paper, of=mode.value)
        report.shape(
            FALLS_MORE,
            [
                ([one], [other])
                for user in found
                for one, other in zip(
                    debs.lines_over_k(found[user], mode), debs.lines_over_k(ranked[user], mode), strict=True
                )
            ],
            "cells",
            "this decrease is more evident when diversity is used",
            of=mode.value,
        )


def compare_numbers(report: ExperimentReport, sigma: float, users: Sequence[str]) -> None:
    """Check what diversity does to the number of events (the end of the paragraph on Figure 10)."""
    diverse, ranked = (debs.measured(report, each, len, users) for each in (sigma, 1.0))

    def pairs(mode: Mode) -> list[tuple[float, float]]:
        return [(diverse[user][cell], ranked[user][cell]) for user in users for cell in debs.cells_of(mode)]

    found = pairs(Mode.PERIODIC)
    same = f"in {sum(one == other for one, other in found)} of {len(found)} cells"
    report.ours("periodic: with diversity as many events are delivered as without", same, note=debs.K_PER_PERIOD)
    found = pairs(Mode.SLIDING)
    more, fewer = (sum(side) / len(users) for side in zip(*found, strict=True))
    report.shape(
        SLIGHTLY_MORE,
        [([one], [other]) for one, other in found],
        "cells",
        "the total number of delivered results is slightly larger",
        f"{fewer:.0f} → {more:.0f} per user, over all cells",
        "the statement has no number; 10 % was fixed before the run",
        of=Mode.SLIDING.value,
    )


def _told(values: debs.Values, mode: Mode) -> str:
    first, last = (
        fmean(value for cell, value in values.items() if cell[0] is mode and cell[3] == k)
        for k in (debs.KS[0], debs.KS[-1])
    )
    return f"{first:.3f} → {last:.3f} on average"
