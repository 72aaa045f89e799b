"""Figure 6(b): fairness by the distance between publisher and subscriber."""

from experiments.covering_common import COLOURS, FAIRNESS, SOURCE, chain, fairness

from rankcast.lab.reproduce import Experiment, ExperimentReport

KS = (1, 2, 3, 4, 5)
SUBSCRIBERS = 250
PUBLICATIONS = 2000


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """Group the runs of Figure 6(a) by the number of core brokers on the path; means over k."""
    given = chain(SUBSCRIBERS, publications)
    at: dict[int, list[str]] = {}
    for one, home in given.placed:
        at.setdefault(given.distance(home), []).append(one.id)
    rows: list[tuple[float, ...]] = []
    for distance, ids in sorted(at.items()):
        means, surplus = [], []
        for name in FAIRNESS:
            found = [fairness(name, k, SUBSCRIBERS, publications) for k in KS]
            means.append(sum(one.deviation(ids) for one in found) / len(KS))
            due = sum(sum(one.due[each] for each in ids) for one in found)
            surplus.append(sum(sum(one.received.get(each, 0) for each in ids) for one in found) / due - 1)
        rows.append((distance, *(round(value, 4) for value in (*means, *surplus))))
        report.progress(distance / len(at))
    names = list(FAIRNESS)
    report.table(
        "by_distance",
        ["core brokers", *(f"{name}, deviation" for name in names), *(f"{name}, received too much" for name in names)],
        rows,
    )
    cover, fair = [row[5] for row in rows], [row[6] for row in rows]
    report.compare(
        "AncestorCoverK: near subscribers get too much, far ones too little",
        "yes",
        f"{100 * cover[0]:+.0f} % next to the publisher, {100 * cover[-1]:+.0f} % farthest",
        cover[0] > 0 > cover[-1],
    )
    spread = [max(values) - min(values) for values in (cover, fair)]
    report.compare(
        "AncestorFairK is less sensitive to distance",
        "yes",
        f"spread of {100 * spread[1]:.0f} points against {100 * spread[0]:.0f}",
        spread[1] < spread[0],
    )
    lowest = [1 + min(range(len(rows)), key=lambda number: rows[number][column]) for column in (2, 3)]
    report.compare(
        "deviation is lowest at a middle distance",
        "3 core brokers",
        f"AncestorCoverK at {lowest[0]}, AncestorFairK at {lowest[1]}",
        1 < lowest[0] < len(rows),
        "AncestorFairK is nearly flat here, because our weights are never stale: changes propagate at once",
    )
    _figure(report, rows)


def _figure(report: ExperimentReport, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.0))
    left, right = figure.subplots(1, 2)
    distances = [row[0] for row in rows]
    for number, name in enumerate(FAIRNESS):
        style = "--" if name == "RegularK" else "o-"
        left.plot(distances, [row[1 + number] for row in rows], style, color=COLOURS[name], label=name)
        right.plot(distances, [100 * row[4 + number] for row in rows], style, color=COLOURS[name], label=name)
    left.set_ylim(0)
    left.set_ylabel("deviation, of what is due")
    left.set_title("Fairness: less is better")
    right.axhline(0, color="black", linewidth=0.8)
    right.set_ylabel("received too much, %")
    right.set_title("Who gets too much, who too little")
    for axes in (left, right):
        axes.set_xticks(distances)
        axes.set_xlabel("core brokers between publisher and subscriber")
        axes.grid(alpha=0.3)
    right.legend(frameon=False)
    figure.tight_layout()
    report.figure("by_distance", figure)


EXPERIMENT = Experiment("covering_fig6b", "Fairness by distance", f"{SOURCE}, Figure 6(b)", run)
