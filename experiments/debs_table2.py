"""DEBS'09 Table 2: the number of nodes of the subscription graph that matching visits."""

from experiments.debs_common import SOURCE

from rankcast.cover import Node, SubscriptionGraph
from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import EPOCH, And, Compare, Event, Op, Predicate, Subscription

SIZE = 100
COVERED = (0, 10, 30, 50)
MATCHING = (0, 10, 20)
ERRATUM = (20, 50)
"""The paper prints 5010 for it; its own pattern gives 5020 (semantics: Errata of the papers)."""

TO_THE_NODE = Rule(
    "the number of nodes is the paper's, to the node",
    lambda ours, paper: ours == paper,
    example=((9000, 9010), (9000, 9010)),
    contradiction=((9000, 9011), (9000, 9010)),
)


def paper(matching: int, covered: int) -> tuple[int, int]:
    """The nodes of SIENA and of PrefSIENA as Table 2 prints them."""
    plain = (SIZE - covered) * SIZE
    return plain, 5010 if (matching, covered) == ERRATUM else plain + (matching if covered else 0)


def run(report: ExperimentReport) -> None:
    """Every share of covered subscriptions and of matching events."""
    rows = []
    for matching in MATCHING:
        for covered in COVERED:
            graph = SubscriptionGraph(_subscriptions(covered))
            events = _events(matching, covered)
            plain, ranked = (
                sum(walk(event, _matches).visited for event in events) for walk in (graph.match_any, graph.match)
            )
            found = sum(bool(graph.match(event, _matches).nodes) for event in events)
            assert found == matching
            expected = paper(matching, covered)
            rows.append((matching, covered, plain, ranked, *expected))
            note = "the paper's own pattern gives 5020" if (matching, covered) == ERRATUM else ""
            report.printed(f"m {matching} %, c {covered} %: PrefSIENA", expected[1], ranked, digits=0, note=note)
            if matching == MATCHING[0]:
                report.printed(f"c {covered} %: SIENA, for every m", expected[0], plain, digits=0)
            report.progress(len(rows) / (len(MATCHING) * len(COVERED)))
    report.table("debs_table2", ("m %", "c %", "plain", "ranked", "paper SIENA", "paper PrefSIENA"), rows)
    report.shape(
        TO_THE_NODE,
        [(row[2:4], row[4:6]) for row in rows],
        "cells",
        "its table",
        note="all but the last, where the paper prints 5010 against its own pattern",
    )
    report.remark(
        "The profiles are built as the paper describes them: each covered subscription by another one, matching events "
        "at subscriptions that cover one. So this shows that our graph visits what theirs visited, and no more."
    )
    report.figure("debs_table2", _picture(rows))


def _matches(node: Node, event: Event) -> bool:
    return matches(node.where, event, NO_CONCEPTS)


def _subscriptions(covered: int) -> list[Subscription]:
    """A hundred subscriptions of one user; `covered` of them are covered, each by a different one."""
    general = [Predicate("a", Compare(Op.EQ, number)) for number in range(SIZE - covered)]
    special = [And((general[number], Predicate("b", Compare(Op.EQ, 1)))) for number in range(covered)]
    return [Subscription(f"s{number}", "ann", where) for number, where in enumerate([*general, *special])]


def _events(matching: int, covered: int) -> list[Event]:
    """A hundred events, `matching` of which match; they match a subscription that covers another, if there is one."""
    wanted = [number % max(covered, 1) for number in range(matching)] + [SIZE] * (SIZE - matching)
    return [Event(f"e{place}", EPOCH, {"a": (value,), "b": (1,)}) for place, value in enumerate(wanted)]


def _picture(rows):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.add_subplot()
    for place, matching in enumerate(MATCHING):
        of_share = [row for row in rows if row[0] == matching]
        axes.bar(
            [x + 0.27 * (place - 1) for x in range(len(of_share))],
            [row[3] for row in of_share],
            0.24,
            label=f"ranked, {matching} % match",
        )
    axes.plot(range(len(COVERED)), [row[2] for row in rows[: len(COVERED)]], "k_", markersize=60, label="plain")
    axes.set_xticks(range(len(COVERED)), [f"{covered} %" for covered in COVERED])
    axes.set(xlabel="subscriptions covered by another", ylabel="nodes visited")
    axes.legend(fontsize=8, markerscale=0.2)
    axes.set_title("Table 2: 100 events through the graph of 100 subscriptions")
    figure.tight_layout()
    return figure


EXPERIMENT = Experiment(
    "debs_table2", "Nodes of the subscription graph that matching visits", f"{SOURCE}, Table 2", run
)
