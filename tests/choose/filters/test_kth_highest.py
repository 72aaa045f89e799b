import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters.kth_highest import KthOfPeriod, KthOfWindow

scores = st.lists(st.integers(0, 20).map(float), max_size=120)


def kth(found, k):
    return sorted(found, reverse=True)[k - 1] if 0 < k <= len(found) else 0.0


def values(structure, found):
    out = []
    for score in found:
        structure.add(score)
        out.append(structure.value)
    return out


@given(scores, st.integers(0, 12), st.integers(1, 12))
def test_window_agrees_with_sorting(found, k, length):
    expected = [kth(found[max(0, end - length) : end], k) for end in range(1, len(found) + 1)]
    assert values(KthOfWindow(k, length), found) == expected


@given(scores, st.integers(1, 12), st.integers(0, 11))
def test_period_agrees_with_sorting(found, period, less):
    k = max(0, period - less)
    ends = [end // period * period for end in range(1, len(found) + 1)]
    expected = [kth(found[end - period : end], k) if end else 0.0 for end in ends]
    assert values(KthOfPeriod(k, period), found) == expected


@given(scores, st.lists(st.integers(0, 12), max_size=120))
def test_k_may_change_with_every_score(found, ks):
    window = KthOfWindow(1, 10)
    for end, (score, k) in enumerate(zip(found, ks, strict=False), 1):
        window.add(score)
        window.k = k
        assert window.value == kth(found[max(0, end - 10) : end], k)


@pytest.mark.parametrize("make", [lambda: KthOfWindow(3, 8), lambda: KthOfPeriod(3, 8)])
@given(found=scores, cut=st.integers(0, 120))
def test_goes_on_from_its_state(make, found, cut):
    whole, before, after = make(), make(), make()
    values(before, found[:cut])
    after.restore(before.state())
    assert after.value == before.value
    assert values(whole, found)[cut:] == values(after, found[cut:])
