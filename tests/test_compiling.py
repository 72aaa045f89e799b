"""Kernels that are kept: until a file beside them changes, not only their own."""

import subprocess
import sys
from importlib import util

from rankcast import compiling


def asked(folder):
    """Load the kernel's file and what it imports anew, as another process would; the kernel's answer, and if it was kept."""
    compiling._content.cache_clear()
    for name in ("kept_words", "kept_kernel"):
        spec = util.spec_from_file_location(name, folder / f"{name}.py")
        sys.modules[name] = util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    answer = sys.modules["kept_kernel"].answer
    return answer(), bool(sum(answer.stats.cache_hits.values()))


def test_what_was_compiled_is_kept_until_a_constant_in_another_file_changes(tmp_path, monkeypatch):
    for name in ("kept_words", "kept_kernel"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which would not notice a change within a second
    (tmp_path / "kept_words.py").write_text("WORD = 41\n")
    (tmp_path / "kept_kernel.py").write_text(
        "from kept_words import WORD\nfrom rankcast.compiling import kernel\n"
        "@kernel\ndef answer():\n    return WORD + 1\n"
    )
    assert asked(tmp_path) == (42, False)
    assert asked(tmp_path) == (42, True)
    (tmp_path / "kept_words.py").write_text("WORD = 42\n")
    assert asked(tmp_path) == (43, False)


def test_of_processes_that_need_a_kernel_at_once_one_compiles(tmp_path):
    (tmp_path / "needed.py").write_text(
        "from rankcast.compiling import kernel\n"
        "@kernel\ndef inner(n):\n    return n if n < 2 else inner(n - 1) + inner(n - 2)\n"
        "@kernel\ndef outer(n):\n    return inner(n)\n"
    )
    ask = "import needed; print(needed.outer(20), [sum(f.stats.cache_misses.values()) for f in (needed.inner, needed.outer)])"
    both = [
        subprocess.Popen([sys.executable, "-c", ask], cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert sorted(one.communicate()[0].strip() for one in both) == ["6765 [0, 0]", "6765 [1, 1]"]
