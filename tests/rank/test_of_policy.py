import pytest

from rankcast.errors import ModelError
from rankcast.model import Decaying, Scoring
from rankcast.rank import DecayingNovelty, NoveltyState, novelty_of


def test_each_scoring_has_its_novelty():
    by_interval = novelty_of(Scoring.INTERVAL, 0.5)
    assert isinstance(by_interval, NoveltyState)
    assert (by_interval.scoring, by_interval.aging) == (Scoring.INTERVAL, 0.5)
    decaying = novelty_of(Scoring.DECAY, decay=Decaying(alpha=0.5))
    assert isinstance(decaying, DecayingNovelty)
    assert decaying.settings.alpha == 0.5


def test_a_score_is_no_novelty():
    with pytest.raises(ModelError, match="no novelty"):
        novelty_of(Scoring.SCORE)
