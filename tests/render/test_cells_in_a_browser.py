"""Cells as a browser shows them, among other cells of a notebook."""

from __future__ import annotations

import pytest

import ctree

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_cells")]

OTHERS = """
<p id='p'>text</p><details id='details'><summary id='summary'>s</summary>d</details><b id='b'>b</b>
<table id='table'><tr><th id='th'>h</th><td id='td'>c</td></tr></table><ul id='ul'><li id='li'>l</li></ul>
<input id='input'><button id='button'>b</button><pre id='pre'>x</pre><code id='code'>y</code>
"""
LOOKS = """() => [...document.querySelectorAll('[id]')].map(element => {
  const style = getComputedStyle(element);
  return [...style].map(name => name + ': ' + style.getPropertyValue(name)).join(';');
})"""


def notebook(*shown, body=""):
    cells = "".join(one._repr_html_() for one in shown)
    return (
        f"<!doctype html><html><head><meta charset='utf-8'></head><body {body}>{OTHERS}<div>{cells}</div></body></html>"
    )


@pytest.fixture(scope="module")
def tree():
    return ctree.C45Classifier(prune=False, min_cases=1).fit(ctree.load_iris()).tree_


def test_what_is_searched_for_is_unfolded_and_marked(opens, tree):
    golf = ctree.C45Classifier().fit(ctree.load_golf()).tree_
    page = opens(notebook(golf, tree))
    first, second = page.locator(".ctree-cell").all()
    box = second.locator("input")
    second.get_by_text("Fold all", exact=True).click()
    assert second.locator("details[open]").count() == 0
    assert first.locator("details[open]").count() == 3  # the other cell is as it was
    box.fill("SEPAL")
    expected = sum(node.attribute is not None and "sepal" in node.attribute.name for node in tree)
    assert expected > 0
    assert second.locator(".ctree-found").inner_text() == f"{expected} found"
    hits = second.locator(".ctree-hit")
    assert hits.count() == expected
    assert all(hit.is_visible() for hit in hits.all())
    assert first.locator(".ctree-hit").count() == 0
    box.fill("no such thing")
    assert second.locator(".ctree-found").inner_text() == "0 found"
    box.fill("")
    assert second.locator(".ctree-hit").count() == 0
    second.get_by_text("Unfold all", exact=True).click()
    assert second.locator("details:not([open])").count() == 0
    leaves = second.locator(".ctree-leaf").all()
    assert len(leaves) == tree.n_leaves
    assert all(leaf.is_visible() for leaf in leaves)


def test_rules_are_searched_too(opens):
    rules = ctree.C45RulesClassifier().fit(ctree.load_golf()).rules_
    page = opens(notebook(rules))
    page.locator(".ctree-search input").fill("humidity")
    assert page.locator("summary.ctree-hit").count() == sum("humidity" in str(rule) for rule in rules)


def test_without_the_program_there_is_no_search_but_folding(opens, tree):
    page = opens(notebook(tree).replace("<script>", "<template>").replace("</script>", "</template>"))
    assert not page.locator(".ctree-search").is_visible()
    before = page.locator("details[open]").count()
    page.locator(".ctree-folding summary").first.click()
    assert page.locator("details[open]").count() == before - 1


def test_the_rest_of_the_notebook_looks_as_before(opens, tree):
    explanation = ctree.C45Classifier().fit(ctree.load_golf()).explain(ctree.load_golf()[0])
    plain = opens(notebook())
    expected = plain.evaluate(LOOKS)
    page = opens(notebook(tree, explanation, ctree.C45Classifier()))
    assert page.evaluate(LOOKS) == expected


LIGHT, DARK = "rgb(255, 255, 255)", "rgb(30, 34, 39)"


@pytest.mark.parametrize(
    ("system", "body", "expected"),
    [
        ("light", "", LIGHT),
        ("dark", "", DARK),
        ("dark", "data-jp-theme-light='true'", LIGHT),
        ("light", "data-jp-theme-light='false'", DARK),
        ("light", "data-vscode-theme-kind='vscode-dark'", DARK),
        ("dark", "data-vscode-theme-kind='vscode-light'", LIGHT),
        ("dark", "data-theme='light'", LIGHT),
    ],
)
def test_it_is_dark_where_the_notebook_is(opens, tree, system, body, expected):
    page = opens(notebook(tree, body=body))
    page.emulate_media(color_scheme=system)
    try:
        colour = page.locator(".ctree-cell").evaluate("cell => getComputedStyle(cell).backgroundColor")
    finally:
        page.emulate_media(color_scheme="light")
    assert colour == expected
