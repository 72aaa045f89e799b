import pytest

from rankcast.errors import CatalogError
from rankcast.matching.outcomes import FAILED, HELD, NO_CONCEPTS, Outcome
from rankcast.model import Term


def test_no_concepts_refuses_by_name() -> None:
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'price'"):
        NO_CONCEPTS("price", Term("cheap"))


def test_crisp_outcomes() -> None:
    assert Outcome(True, 1.0, 1.0) == HELD
    assert Outcome(False, 0.0, 0.0) == FAILED
