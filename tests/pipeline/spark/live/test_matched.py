"""The columns of all events that every shard gets are small, and as they were."""

import numpy as np
import pytest

from rankcast.pipeline.spark.live.matched import MatchedRange, of_versions, steps_of

YEAR = 31_536_000_000_000


def read(column: bytes, count: int) -> list[int]:
    nothing = (b"", b"", [], b"", b"", b"", [], 0, [], [])
    found = MatchedRange(0, 0, count, [(1, count)], column, column, *nothing)
    (part,) = of_versions(found)
    assert part.seq.dtype == np.int64
    assert part.seq.tolist() == part.time.tolist()
    return part.seq.tolist()


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ([], 0),
        ([7], 8),
        ([-3, 9], 9),
        ([*range(5, 5000)], 16),
        ([5] * 10, 16),
        ([*range(99, 0, -3)], 16),
        ([5, 6, 7, 8], 8 + 3),
        ([5] * 9, 8 + 8),
        ([1, 2, 3, 4, 5, 6, 7, 8, 7], 8 + 8),
        ([1, 2, 4, 3], 8 + 3),
        ([1, 200, 4], 8 + 2 * 2),
        ([YEAR, YEAR + 1_000_000, YEAR + 1], 8 + 2 * 4),
        ([0, YEAR, 1], 8 + 2 * 8),
    ],
)
def test_a_column_takes_as_few_bytes_as_its_steps_need(values, size):
    column = steps_of(np.array(values, np.int64))
    assert len(column) == size
    assert read(column, len(values)) == values


@pytest.mark.parametrize("seed", range(20))
def test_any_column_is_read_as_it_was_also_from_the_release_before(seed):
    chance = np.random.default_rng(seed)
    values = np.cumsum(chance.integers(-(10 ** (seed % 13)), 10 ** (seed % 13) + 1, 2 + seed))
    assert read(steps_of(values), len(values)) == values.tolist()
    before = np.diff(values, prepend=0).astype(np.int64).tobytes()
    assert read(before, len(values)) == values.tolist()
