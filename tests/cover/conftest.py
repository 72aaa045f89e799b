"""What several tests of covering ask."""

import pytest

from rankcast.cover import Relation, covers, relate
from rankcast.language import show


@pytest.fixture
def assert_preorder():
    """That `covers` is reflexive and transitive among expressions, and `relate` agrees with it both ways round."""

    def check(expressions, given=None):
        above = [[covers(a, b, given) for b in expressions] for a in expressions]
        for i, a in enumerate(expressions):
            assert above[i][i]
            for j, b in enumerate(expressions):
                relation = relate(a, b, given)
                assert (relation is Relation.EQUAL) is (above[i][j] and above[j][i])
                assert relation is relate(b, a, given).inverse
                if above[i][j]:
                    assert all(above[i][k] for k in range(len(expressions)) if above[j][k]), (show(a), show(b))

    return check
