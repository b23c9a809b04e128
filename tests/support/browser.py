"""A real browser without a window, for the tests of pages."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


class Visitor:
    """Somebody who opens pages and notes what goes wrong with them, and what they ask the network for."""

    def __init__(self, context, directory):
        self.context = context
        self.directory = directory
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._idle = []

    def opens(self, html: str):
        """A page with this text, in the place of one that was left if there is any, as a new one takes long."""
        file = self.directory / f"page{len(list(self.directory.iterdir()))}.html"
        file.write_text(html, encoding="utf-8")
        page = self._idle.pop() if self._idle else self._new_page()
        page.goto(file.as_uri())
        self.requests = [url for url in self.requests if url != file.as_uri() and not url.startswith("data:")]
        return page

    def leaves(self, page) -> None:
        """Has no more to do with a page."""
        self._idle.append(page)

    def _new_page(self):
        page = self.context.new_page()
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        return page


@contextmanager
def visitor(directory):
    """A browser as long as it is needed; where there is none, the test is skipped."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("chromium is not installed")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(60_000)
        try:
            yield Visitor(context, directory)
        finally:
            browser.close()


def until(page, condition):
    """Wait for the page; `wait_for_function` would ask it to evaluate text, which pages do not allow."""
    for _ in range(600):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"not true within a minute: {condition}")
