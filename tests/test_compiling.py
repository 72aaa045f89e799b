"""Kernels that are kept: until a file beside them changes, not only their own."""

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
