"""A browser for the tests of pages."""

from __future__ import annotations

import pytest
from support.browser import visitor

from ctree.render.cells import model_cell


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with visitor(tmp_path_factory.mktemp("pages")) as somebody:
        yield somebody


@pytest.fixture
def opens(browser):
    """Open a page; at the end nothing may have gone wrong, and nothing may have been asked for."""
    pages = []

    def open_page(html):
        pages.append(browser.opens(html))
        return pages[-1]

    yield open_page
    for page in pages:
        browser.leaves(page)
    complaints, requests = browser.complaints[:], browser.requests[:]
    browser.complaints.clear()
    browser.requests.clear()
    assert complaints == []
    assert requests == []


@pytest.fixture
def own_cells(monkeypatch):
    """Cells without scikit-learn's picture of the parameters, which is there once anybody has imported it."""
    monkeypatch.setattr(model_cell, "sklearn_diagram", lambda model: "")
