import subprocess
import sys

import rankcast.language as language


def test_public_names_are_all_there_and_sorted():
    assert all(hasattr(language, name) for name in language.__all__)
    assert language.__all__ == sorted(language.__all__)


def test_importing_is_cheap():
    code = (
        "import sys, rankcast.language; print([m for m in ('lark', 'numpy', 'pandas', 'pyspark') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
