import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import Budget
from rankcast.model import Update


def run(budget, wanted):
    passed = []
    for wants in wanted:
        passed.append(wants and budget.has_room)
        budget.count(passed[-1])
    return passed


@pytest.mark.parametrize(
    ("rate", "period", "k"),
    [(0.2, 1000, 200), (0.29, 100, 29), (0.07, 100, 7), (0.2, 9, 1), (0.2, 4, 0), (1, 3, 3), (1e-12, 1000, 0)],
)
def test_k_is_rate_times_period_rounded_down(rate, period, k):
    assert Budget(rate, period, Update.LAZY).k == k


@pytest.mark.parametrize("update", Update)
def test_budget_below_one_event_lets_nothing_pass(update):
    assert not any(run(Budget(0.1, 5, update), [True] * 20))


def test_lazy_starts_anew_with_each_period():
    budget = Budget(0.5, 4, Update.LAZY)
    assert run(budget, [True] * 8) == [True, True, False, False] * 2
    ends = []
    for _ in range(8):
        budget.count(False)
        ends.append(budget.ends_period)
    assert ends == [False, False, False, True] * 2


def test_eager_counts_the_events_of_the_window_before_the_new_one():
    # at position 4 the window of 3 before it still holds the pass at 1; only at 5 it has left
    assert run(Budget(0.34, 3, Update.EAGER), [True] * 9) == [True, False, False, False] * 2 + [True]


@given(st.floats(0.01, 1), st.integers(1, 12), st.sampled_from(Update), st.lists(st.booleans(), max_size=80))
def test_never_more_than_k(rate, period, update, wanted):
    budget = Budget(rate, period, update)
    passed = run(budget, wanted)
    starts = range(0, len(passed), period if update is Update.LAZY else 1)
    assert all(sum(passed[start : start + period]) <= budget.k for start in starts)


@given(st.sampled_from(Update), st.lists(st.booleans(), max_size=40), st.integers(0, 40))
def test_goes_on_from_its_state(update, wanted, cut):
    whole, before, after = (Budget(0.4, 7, update) for _ in range(3))
    run(before, wanted[:cut])
    after.restore(before.state())
    assert run(whole, wanted)[cut:] == run(after, wanted[cut:])


def test_label_says_how_much_is_allowed():
    assert Budget(0.2, 1000, Update.LAZY).label() == "200 of 1000 events"
