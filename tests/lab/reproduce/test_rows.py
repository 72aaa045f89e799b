"""The kinds of rows: what agrees, what does not, and what makes no claim."""

from pathlib import Path

import pytest

from rankcast.lab.reproduce import Comparison, ExperimentReport, RowKind, Rule, headline

RISES = Rule("it rises", lambda first, last: first < last, example=(1, 2), contradiction=(2, 2))


@pytest.fixture
def report(tmp_path: Path) -> ExperimentReport:
    return ExperimentReport(tmp_path)


@pytest.mark.parametrize(("ours", "agrees"), [(110, True), (111, False), (90, True), (89, False), (100, True)])
def test_a_printed_number_agrees_within_ten_per_cent(report: ExperimentReport, ours: float, agrees: bool) -> None:
    report.printed("share", 100, ours, " %", digits=0)
    assert report.comparisons == [Comparison(RowKind.PRINTED, "share", "100 %", f"{ours} %", agrees)]


def test_a_printed_zero_agrees_only_with_zero(report: ExperimentReport) -> None:
    report.printed("share", 0, 0.001)
    assert report.comparisons[0].agrees is False


def test_a_statement_holds_only_if_it_holds_in_all_cases(report: ExperimentReport) -> None:
    report.shape(RISES, [(1, 2)] * 10, "seeds", "rises")
    report.shape(RISES, [(1, 2)] * 9 + [(2, 2)], "seeds", "rises", ours="flat once", of="entropy")
    assert [(row.what, row.ours, row.agrees) for row in report.comparisons] == [
        ("it rises", "10 of 10 seeds", True),
        ("entropy: it rises", "9 of 10 seeds: flat once", False),
    ]


def test_nine_seeds_are_too_few(report: ExperimentReport) -> None:
    with pytest.raises(ValueError, match="ran over 9 seeds; it needs 10"):
        report.shape(RISES, [(1, 2)] * 9, "seeds", "rises")
    with pytest.raises(ValueError, match="ran over 0 cells"):
        report.shape(RISES, [], "cells", "rises")


def test_what_is_ours_makes_no_claim(report: ExperimentReport) -> None:
    report.ours("deliveries", 84, paper_form=761)
    assert report.comparisons == [Comparison(RowKind.OURS, "deliveries", "761", "84", None)]
    with pytest.raises(ValueError, match="rows of ours have none"):
        Comparison(RowKind.OURS, "deliveries", "", "84", True)
    with pytest.raises(ValueError, match="have a verdict"):
        Comparison(RowKind.SHAPE, "deliveries", "", "84", None)


def test_the_headline_counts_the_kinds_apart(report: ExperimentReport) -> None:
    report.printed("a", 1, 2)
    report.shape(RISES, [(1, 2)], "cells", "rises")
    report.ours("b", 3)
    assert headline(report.comparisons) == (
        "0 of 1 printed numbers agree within 10%. 1 of 1 statements about the shape hold in every case. "
        "1 results of ours alone count for neither."
    )
