"""A real server in a process of its own, and a real Chromium to look at it."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from ports import free_port

from rankcast.language import decode_record
from rankcast.store import Store

SCREENSHOTS = Path(__file__).parents[3] / "out" / "screenshots"
PATIENCE = 20_000
"""Milliseconds until something that should appear counts as missing; the machine may be busy."""

STILL = """() => new Promise(done => {
    const watch = new MutationObserver(() => { clearTimeout(quiet); quiet = setTimeout(end, 100); });
    const end = () => { watch.disconnect(); requestAnimationFrame(() => requestAnimationFrame(done)); };
    let quiet = setTimeout(end, 100);
    watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    setTimeout(end, 1000);
})"""
"""Resolved when nothing on the page has changed for 100 ms, or after a second of changes."""

expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever needs the server runs in one process of xdist, and not in `make check`."""
    for item in items:
        if {"site", "own_site"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("page"))
            item.add_marker(pytest.mark.slow)


@dataclass
class Site:
    """A service that runs, and its store."""

    url: str
    path: str
    published: int = field(default=0)

    def put(self, *records: dict[str, Any]) -> None:
        """Put records into the catalog, each as the JSON form has it."""
        with Store.open(self.path) as store:
            store.change(put=[decode_record(record) for record in records])

    def subscribe(self, user: str, **wheres: str) -> None:
        """Give a user subscriptions, by their names."""
        kind = {"kind": "subscription", "user": user}
        self.put(*({**kind, "id": f"{user}-{name}", "where": where} for name, where in wheres.items()))

    def publish(self, *attributes: dict[str, Any]) -> None:
        """Publish events with these attributes, through the API."""
        events = []
        for each in attributes:
            self.published += 1
            events.append({"id": f"e{self.published}", "attributes": each})
        answer = httpx.post(f"{self.url}/v1/events", json=events, timeout=30)
        assert answer.status_code == 200, answer.text
        assert not answer.json().get("rejected"), answer.text

    def settle(self) -> None:
        """Wait until all that was published is worked off."""
        with Store.open(self.path) as store:
            for _ in range(1200):
                if store.progress().offset == store.last_offset():
                    return
                time.sleep(0.1)
        raise AssertionError("what was published is not worked off")


def serve(folder: Path, *options: str) -> Iterator[Site]:
    """Start `rankcast serve` on a free port, and end it when done."""
    port = free_port()
    path = str(folder / "site.db")
    command = [sys.executable, "-c", "from rankcast.cli.main import main; main()", "serve", "--port", str(port)]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen([*command, "--store", path, *options], stdout=log, stderr=log, cwd=folder)
    site = Site(f"http://127.0.0.1:{port}", path)
    try:
        _await(site, server, folder / "server.log")
        yield site
    finally:
        server.terminate()
        server.wait(timeout=30)


def _await(site: Site, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert server.poll() is None, log.read_text()
        try:
            if httpx.get(f"{site.url}/v1/health/live", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"the server does not answer: {log.read_text()}")


@pytest.fixture(scope="session")
def serving() -> Callable[..., Iterator[Site]]:
    """For services of other kinds."""
    return serve


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service for development; tests share it, each with users of its own."""
    yield from serve(tmp_path_factory.mktemp("site"), "--dev")


@pytest.fixture(scope="module")
def own_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service for development that only the tests of one file use; options as its parameter."""
    yield from serve(tmp_path_factory.mktemp("own-site"), "--dev", *getattr(request, "param", ()))


class Screens:
    """A real browser, with a context for each sort of screen: with a full cache a page is there sooner.

    It stays open from one file of tests to the next, as long as the next test needs it too: while Playwright is on, nothing
    else in the process may run an event loop.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._browser: Browser | None = None
        self._contexts: dict[tuple[bool, bool], BrowserContext] = {}

    def browser(self) -> Browser:
        if self._browser is None:
            path = shutil.which("chromium")
            assert path, "there is no chromium; scripts/setup says how to get it"
            playwright = self._open.enter_context(sync_playwright())
            self._browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
            self._open.callback(self._browser.close)
        return self._browser

    def context(self, phone: bool, dark: bool) -> BrowserContext:
        if (phone, dark) not in self._contexts:
            made = self.browser().new_context(
                viewport={"width": 390, "height": 844} if phone else {"width": 1240, "height": 860},
                color_scheme="dark" if dark else "light",
                reduced_motion="reduce",
                has_touch=phone,
            )
            made.set_default_timeout(PATIENCE)
            self._contexts[phone, dark] = made
        return self._contexts[phone, dark]

    def close(self) -> None:
        self._browser = None
        self._contexts.clear()
        self._open.close()


SCREENS = Screens()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before a test that does without."""
    if not {"chromium", "contexts"} & set(getattr(nextitem, "fixturenames", ())):
        SCREENS.close()


@pytest.fixture(scope="module")
def chromium() -> Browser:
    """A real browser."""
    return SCREENS.browser()


@pytest.fixture(scope="module")
def contexts() -> Callable[[bool, bool], BrowserContext]:
    """The contexts of the browser, one for each sort of screen."""
    return SCREENS.context


Open = Callable[..., Page]


@pytest.fixture
def visit(site: Site, contexts: Callable[[bool, bool], BrowserContext]) -> Iterator[Open]:
    """Open a page as a user. Whatever goes wrong in the browser, or is loaded from elsewhere, fails the test."""
    pages: list[Page] = []
    wrong: list[str] = []

    def opened(
        path: str, user: str = "", phone: bool = False, dark: bool = False, at: str = "", errors: bool = True
    ) -> Page:
        url = at or site.url
        context = contexts(phone, dark)
        context.clear_cookies()
        if user:
            context.add_cookies([{"name": "rankcast_user", "value": quote(user), "url": url}])
        page = context.new_page()
        pages.append(page)
        page.on("request", lambda request: wrong.append(request.url) if _is_outside(request.url) else None)
        if errors:
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(url + path)
        # What is done before the page is connected may arrive in another order. A page that says what is wrong never is.
        page.wait_for_function("window.did_handshake || !document.getElementById('app')")
        return page

    yield opened
    for page in pages:
        page.close()
    assert not wrong


def _is_outside(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1"


@pytest.fixture
def snap() -> Callable[[Page, str], None]:
    """Keep a screenshot of the whole page."""

    def snapped(page: Page, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.evaluate(STILL)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return snapped
