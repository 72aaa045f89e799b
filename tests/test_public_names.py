"""`__all__` is exact: what it lists is there, and what a package imports to hand on is listed."""

import ast
import importlib
from pathlib import Path

import pytest

import rankcast

ROOT = Path(rankcast.__file__).parent


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(ROOT.rglob("*.py")) if file.name != "__main__.py"}
PACKAGES = {name: file for name, file in MODULES.items() if file.name == "__init__.py"}


def handed_on(file: Path) -> set[str]:
    """The public names that a package's `__init__.py` takes from inside of Rankcast or defines itself."""
    names: set[str] = set()
    for node in ast.parse(file.read_text()).body:
        match node:
            case ast.ImportFrom(module=str(origin)) if origin.split(".")[0] == "rankcast":
                names |= {alias.asname or alias.name for alias in node.names}
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("name", MODULES)
def test_what_is_listed_exists(name: str) -> None:
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", [])
    assert len(listed) == len(set(listed)), f"{name}.__all__ lists a name twice: {sorted(listed)}"
    missing = [public for public in listed if not hasattr(module, public)]
    assert not missing, f"{name}.__all__ lists {missing}, which are not there"


@pytest.mark.parametrize("name", PACKAGES)
def test_what_a_package_hands_on_is_listed(name: str) -> None:
    unlisted = handed_on(PACKAGES[name]) - set(getattr(importlib.import_module(name), "__all__", []))
    assert not unlisted, f"{name} hands on {sorted(unlisted)} without listing them in __all__"


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_hands_on_public_names_only(name: str) -> None:
    for node in ast.parse(PACKAGES[name].read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{name}."):
            public = getattr(importlib.import_module(node.module or ""), "__all__", None)
            private = [
                alias.name
                for alias in node.names
                if (alias.name.startswith("_") if public is None else alias.name not in public)
            ]
            assert not private, f"{name} hands on {private}, which are private in {node.module}"
