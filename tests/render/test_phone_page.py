"""The page of a tree on a phone: nothing is cut off, and every row says what it has to say."""

from __future__ import annotations

import numpy as np
import pytest
from support.browser import until
from support.printed_tree import shown_nodes

import ctree
from ctree import Attribute, Dataset, Kind, Schema

pytestmark = pytest.mark.slow

CLASSES = tuple(f"diaporthe-pod-&-stem-blight-{name}" for name in "abcdefghijkl")


def many_classes():
    rng = np.random.default_rng(0)
    codes, numbers = rng.integers(4, size=400), rng.random(400)
    values = ("a-value-of-many-words-and-parts", "b", "c", "d")
    attributes = (Attribute("an-attribute-with-a-long-name", Kind.DISCRETE, values), Attribute("x", Kind.CONTINUOUS))
    schema = Schema(attributes, CLASSES)
    return Dataset(schema, [codes, numbers], (codes * 3 + (numbers * 3).astype(int)).tolist())


@pytest.fixture
def phone(opens):
    """A page as wide as a phone."""
    pages = []

    def phone(html):
        page = opens(html)
        pages.append((page, page.viewport_size))
        page.set_viewport_size({"width": 390, "height": 844})
        return page

    yield phone
    for page, size in pages:
        page.set_viewport_size(size)


@pytest.mark.parametrize("data", [ctree.load_golf, many_classes])
def test_every_row_shows_its_class_and_probability(phone, data):
    cases = data()
    model = ctree.C45Classifier(estimate="laplace").fit(cases)
    page = phone(model.to_html())
    page.click("#unfold")
    rows = page.eval_on_selector_all(
        "#tree li",
        """all => all.map(li => [".name", ".chance"].map(part => {
             const one = li.querySelector(`.figures ${part}`), box = one.getBoundingClientRect();
             const cut = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
             return [one.innerText, box.width > 0 && box.left >= 0 && box.right <= innerWidth && !cut];
           }))""",
    )
    assert len(rows) == model.tree_.n_nodes
    nodes = shown_nodes(model.tree_)
    for node, ((name, whole), (chance, shown)) in zip(nodes, rows, strict=True):
        best = int(model.tree_.best[node])
        assert whole
        assert shown
        assert name == model.classes_[best]
        assert chance == f"{model.tree_.probabilities[node, best]:.3f}"
    # Nothing has to be scrolled to the side.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.eval_on_selector("#scroller", "s => s.scrollWidth - s.clientWidth") <= 1


def test_the_legend_is_not_cut_off(phone):
    page = phone(ctree.C45Classifier().fit(many_classes()).to_html())
    inside = """all => all.every(li => {
                  const box = li.getBoundingClientRect(), list = li.parentElement.getBoundingClientRect();
                  return box.bottom <= list.bottom + 1 && box.right <= innerWidth; })"""
    assert page.eval_on_selector_all("#legend li", inside)
    assert page.locator("#legend li").count() == 12


def test_names_break_at_their_words(phone):
    page = phone(ctree.C45Classifier().fit(many_classes()).to_html())
    parts = page.eval_on_selector("#legend li .name", "name => [...name.childNodes].map(n => n.textContent)")
    assert [part for part in parts if part] == ["diaporthe-", "pod-&-", "stem-", "blight-", "a"]


def test_no_keys_are_told_where_there_are_none(phone):
    page = phone(ctree.C45Classifier().fit(ctree.load_golf()).to_html())
    assert page.locator(".keys").is_hidden()
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator(".keys").is_visible()
    # On a tablet the first touch tells.
    page.dispatch_event("body", "pointerdown", {"pointerType": "touch"})
    assert page.locator(".keys").is_hidden()


def test_many_classes_are_named_where_colours_do_not_tell(opens):
    page = opens(ctree.C45Classifier().fit(many_classes()).to_html())
    labels = page.locator("#tree .bar-label").all_inner_texts()
    assert len(labels) > 4
    assert all(label.rstrip("…") in "".join(CLASSES) for label in labels)
    names = page.locator("#tree .figures .name:visible").count()
    assert names == page.locator("#tree li").count()
    few = opens(ctree.C45Classifier().fit(ctree.load_golf()).to_html())
    assert few.locator(".bar-label").count() == 0


def test_more_classes_than_a_legend_holds_are_folded(opens):
    rng = np.random.default_rng(0)
    X = rng.random((300, 2)).round(2)
    model = ctree.C45Classifier(min_cases=1, prune=False).fit(X, [f"c{i % 60}" for i in range(300)])
    page = opens(model.to_html())
    assert page.locator("#legend li").count() == 40
    page.click("#more-classes summary")
    until(page, "document.querySelector('#more-classes').open")
    assert page.inner_text("#more-classes summary") == "20 more classes"
    assert page.locator("#legend-more li:visible").count() == 20


def test_a_finger_gets_no_tip(opens):
    page = opens(ctree.C45Classifier().fit(ctree.load_golf()).to_html())
    page.dispatch_event("#r1 .condition", "pointermove", {"pointerType": "touch"})
    assert page.locator("#tip").is_hidden()
    page.dispatch_event("#r1 .condition", "pointermove", {"pointerType": "mouse"})
    assert page.locator("#tip").is_visible()
