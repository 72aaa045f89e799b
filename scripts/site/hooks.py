"""What mkdocs calls while it builds the site: adds the generated pages, and leads links out of `docs` to them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_pages
import language_pages
import python_pages
import service_pages
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
PAGES: dict[str, Callable[[], str]] = {
    "reference/operators.md": language_pages.operators,
    "reference/policies.md": language_pages.policies,
    "reference/commands.md": command_pages.commands,
    "reference/routes.md": service_pages.routes,
    "reference/metrics.md": service_pages.metrics,
    "reference/settings.md": service_pages.settings,
    **python_pages.PAGES,
    "contributing.md": lambda: _of_root("CONTRIBUTING.md"),
    "changelog.md": lambda: _of_root("CHANGELOG.md"),
}
"""The pages that are not files of `docs`, by their address in it."""

SHOWN_FOLDERS = ("deploy",)
"""Folders of the project whose files the site offers, because pages refer to them."""

ICON = "src/rankcast/service/page/assets/icon.svg"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and files that are not in `docs`."""
    for name, content in PAGES.items():
        files.append(File.generated(config, name, content=content()))
    files.append(File.generated(config, "icon.svg", abs_src_path=str(ROOT / ICON)))
    for folder in SHOWN_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file():
                name = path.relative_to(ROOT).as_posix()
                files.append(File.generated(config, name, content=path.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the project outside `docs` lead to their copies in the site."""
    depth = page.file.src_uri.count("/")
    return re.sub(rf"\]\((?:\.\./){{{depth + 1}}}(?=(?:{'|'.join(SHOWN_FOLDERS)})/)", f"]({'../' * depth}", markdown)


def _of_root(name: str) -> str:
    """A page of the project's folder; its links into `docs` become links within the site."""
    return re.sub(r"\]\(docs/", "](", (ROOT / name).read_text())
