"""The report in a real browser: wide, narrow, dark and in print."""

from __future__ import annotations

import numpy as np
import pytest

import ctree

pytestmark = pytest.mark.slow


def problem(n_classes=3, n=600, n_attributes=30):
    """Many attributes with long names, so that tables are folded and trees are deep."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, n_attributes)).round(2)
    scores = np.column_stack([X[:, c] + 0.5 * X[:, c + 1] for c in range(n_classes)])
    y = [f"a_class_name_without_spaces_{c}" for c in scores.argmax(axis=1)]
    data = ctree.from_arrays(
        X, y, feature_names=[f"attribute_number_{i}_of_many_that_are_long" for i in range(n_attributes)]
    )
    return data.take(slice(n // 2)), data.take(slice(n // 2, None))


@pytest.fixture(scope="module")
def pages():
    train, test = problem()
    many, other = problem(n_classes=26)
    golf = ctree.load_golf()
    return {
        "C4.5": ctree.report(ctree.C45Classifier().fit(train), test),
        "rules": ctree.report(ctree.C45RulesClassifier().fit(train), test),
        "naive Bayes, 26 classes": ctree.report(ctree.NaiveBayesClassifier().fit(many), other),
        "golf": ctree.report(ctree.C45Classifier().fit(golf), golf, title="<b>Golf</b>"),
    }


NAMES = ["C4.5", "rules", "naive Bayes, 26 classes", "golf"]

OUTSIDE = """() => [...document.querySelectorAll('svg.chart')].flatMap(svg => {
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect(), frame = svg.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
      || box.bottom > frame.bottom + 1;
  }).map(text => text.textContent);
})"""

OVERLAPPING = """() => [...document.querySelectorAll('svg.chart')].flatMap(svg => {
  const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
  const found = [];
  texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
    const beside = p.left >= q.right - 1 || q.left >= p.right - 1 || p.top >= q.bottom - 2 || q.top >= p.bottom - 2;
    if (!beside) found.push(a + ' | ' + b);
  }));
  return found;
})"""


@pytest.fixture
def changed(opens):
    """Open a page that is looked at in other ways; afterwards it is as it was, as it is used again."""
    opened = []

    def open_page(html):
        opened.append(opens(html))
        return opened[-1]

    yield open_page
    for page in opened:
        page.emulate_media(color_scheme="light", media="screen")
        page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("name", NAMES)
def test_charts_are_legible(name, pages, opens):
    page = opens(pages[name])
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(OVERLAPPING) == []
    assert page.locator("svg.chart").count() >= 5
    for i in range(page.locator("svg.chart").count()):
        assert page.locator("svg.chart").nth(i).locator("title").text_content()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_sticks_out(name, width, pages, changed):
    page = changed(pages[name])
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_print(pages, changed):
    page = changed(pages["C4.5"])
    page.emulate_media(color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(21, 24, 28)"
    assert page.evaluate("getComputedStyle(document.querySelector('svg.chart text')).fill") == "rgb(232, 235, 238)"
    hidden = "document.querySelector('details table').getBoundingClientRect().height"
    assert page.evaluate("document.querySelector('details').open") is False
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('svg.chart text')).fill") == "rgb(0, 0, 0)"
    assert page.evaluate(hidden) > 100


@pytest.mark.parametrize("name", ["C4.5", "rules", "golf"])
def test_paper_is_wide_enough(name, pages, changed):
    page = changed(pages[name])
    page.set_viewport_size({"width": 690, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 690


def test_it_prints(pages, opens):
    assert opens(pages["golf"]).pdf(format="A4").startswith(b"%PDF")


def test_titles_are_text(pages, opens):
    page = opens(pages["golf"])
    assert page.title() == "<b>Golf</b>"
    assert page.locator("h1").text_content() == "<b>Golf</b>"
    page.get_by_role("link", name="What errors cost").click()
    assert page.url.endswith("#cost")
    assert page.get_by_role("heading", name="Can the probabilities be trusted?").count() == 1
    assert page.get_by_role("img", name="ROC curve").count() == 1
