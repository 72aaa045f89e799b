"""A fingerprint of the code that an experiment depends on."""

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

__all__ = ["fingerprint"]


def fingerprint(module: Path, roots: tuple[Path, ...]) -> str:
    """A digest of a module and of all modules below `roots` that it imports, directly or indirectly.

    Changes to other code do not make an experiment run again.
    """
    known: set[Path] = set()
    following = [module]
    while following:
        path = following.pop()
        if path not in known:
            known.add(path)
            following += [found for name in _imported(path) for found in _files(name, roots)]
    digest = blake2b(digest_size=8)
    for path in sorted(known):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _parsed(path: Path, changed: float) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


def _imported(path: Path) -> tuple[str, ...]:
    """The dotted names that a module imports; some may name members of a module."""
    return _parsed(path, path.stat().st_mtime)


def _files(name: str, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The files that importing a module below one of the roots executes: those of its packages, then its own."""
    parts = name.split(".")
    for root in roots:
        if parts[0] != root.name:
            continue
        for length in range(1, len(parts) + 1):
            base = root.parent.joinpath(*parts[:length])
            for path in (base / "__init__.py", base.with_suffix(".py")):
                if path.is_file():
                    yield path
