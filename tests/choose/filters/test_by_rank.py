from rankcast.choose.filters import ByRank


def test_scores_by_rank_on_the_grid_of_scores(candidate):
    assert ByRank().score(candidate(1, "a", rank=0.1 + 0.2)) == 0.3


def test_has_no_memory(candidate):
    score = ByRank()
    score.delivered(candidate(1, "a"))
    score.keep(set())
    score.restore(score.state())
    assert score.state() == {}
