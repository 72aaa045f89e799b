"""Creates the novelty that a policy specifies."""

from datetime import datetime

from rankcast.errors import ModelError
from rankcast.model import EPOCH, Decaying, Scoring
from rankcast.rank.decaying import DecayingNovelty
from rankcast.rank.novelty import Novelty, NoveltyState

__all__ = ["novelty_of"]


def novelty_of(
    scoring: Scoring, aging: float = 1.0, decay: Decaying | None = None, origin: datetime = EPOCH
) -> Novelty:
    """A new novelty for one user. `decay` and `origin` apply to decaying novelty, `aging` to the others.

    >>> type(novelty_of(Scoring.DECAY)).__name__
    'DecayingNovelty'
    """
    match scoring:
        case Scoring.RATE | Scoring.INTERVAL:
            return NoveltyState(scoring, aging)
        case Scoring.DECAY:
            return DecayingNovelty(decay, origin)
        case Scoring.SCORE:
            raise ModelError("a score is no novelty")
