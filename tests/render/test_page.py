"""The page of a tree in a real browser: it folds, finds, and says of a case what the learner says.

Longer than 400 lines because one browser, which takes long to start, serves all of its tests.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from support.browser import until
from support.page_cases import as_values, mixed_data, random_cases

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import NotFittedError, ParameterError
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.render.html import script_json
from ctree.tree.averages import node_alphas
from ctree.tree.leaves import leaf_probabilities

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning"),
]


@pytest.fixture(scope="module")
def golf():
    return ctree.read_c45("examples/golf")


COSTS = [[0, 1, 2], [5, 0, 1.5], [3, 8, 0]]

LEARNERS = {
    "release 8": ctree.C45Classifier(),
    "release 8, unpruned": ctree.C45Classifier(prune=False, min_cases=1, estimate="laplace"),
    "release 8, groups": ctree.C45Classifier(group_values=True, estimate="m"),
    "release 8, soft thresholds": ctree.C45Classifier(soft_thresholds=True),
    "J48": ctree.C45Classifier(variant="j48"),
    "J48, binary, other leaves": ctree.C45Classifier(
        variant="j48", binary_splits=True, estimate="laplace", prune=False
    ),
    "C4.4": ctree.ProbabilityTreeClassifier(),
    "BIC, multiway": ctree.ProbabilityTreeClassifier(approach="bic-stop", binary_splits=False),
    "listed thresholds": ctree.ProbabilityTreeClassifier(approach="c4.5", max_thresholds=4, estimate="m-branch"),
    "Bayesian": ctree.BayesianTreeClassifier(),
    "Bayesian, prunings": ctree.BayesianTreeClassifier(averaging="prunings", bins=3),
    "Bayesian, thresholds": ctree.BayesianTreeClassifier(bins=None),
    "Bayesian, imputed": ctree.BayesianTreeClassifier(unknown="impute"),
    "Bayesian, not averaged": ctree.BayesianTreeClassifier(averaging="none"),
    "least errors": ctree.OptimalTreeClassifier(max_depth=3),
    "most probable": ctree.OptimalTreeClassifier(objective="posterior", max_depth=3, bins=6),
    "release 8, costs": ctree.C45Classifier(costs=COSTS),
    "J48, other leaves, costs": ctree.C45Classifier(variant="j48", estimate="laplace", costs=COSTS),
    "Bayesian, prunings, grown with costs": ctree.BayesianTreeClassifier(
        averaging="prunings", costs=COSTS, class_weight="costs"
    ),
}


ASK = (
    "cases => cases.map(c => { const a = ctreePage.classify(c); return [a.probabilities, a.best, a.leaf, a.leaves]; })"
)


def agrees(page, model, cases):
    """The page gives each case the probabilities, the class and the leaf that the model does."""
    answers = page.evaluate(ASK, as_values(cases))
    expected = model.predict_proba(cases)
    assert np.abs(np.array([answer[0] for answer in answers]) - expected).max() <= 1e-12
    shares = [sum(share for _, share in answer[3]) for answer in answers]
    assert np.allclose(shares, 1)
    best = model.predict_codes(cases) if isinstance(model, TreeClassifier) else expected.argmax(axis=1)
    assert [answer[1] for answer in answers] == best.tolist()
    if isinstance(model, ctree.BayesianTreeClassifier):
        leaves = model.tree_.apply(model._tree_cases(cases))
    elif isinstance(model, ctree.OptimalTreeClassifier):
        leaves = model.tree_.apply(model.tests_.filled(cases))
    else:
        leaves = (model.tree_ if isinstance(model, TreeClassifier) else model).apply(cases)
    assert [answer[2] for answer in answers] == leaves.tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_case_gets_what_predict_proba_gives_it(name, opens):
    model = LEARNERS[name].fit(mixed_data())
    assert model.tree_.n_leaves > 3
    page = opens(model.to_html())
    agrees(page, model, random_cases(model, 500))


def test_with_fractional_weights_numbers_are_not_rounded(opens):
    data = mixed_data()
    model = ctree.C45Classifier().fit(data.with_weights(np.linspace(0.5, 1.5, data.n_cases)))
    assert not model.tree_.float32
    agrees(opens(model.to_html()), model, random_cases(model, 500))


def test_sampled_trees_have_pages_too(opens):
    data = mixed_data(unknown=0.0)
    sampler = ctree.MCMCTreeClassifier(burn_in=500, samples=20, chains=1, random_state=0).fit(data)
    average = ctree.BayesOptimalClassifier(max_depth=2, bins=3).fit(data)
    for tree in (sampler.best_tree_, sampler.trees_[3], *average.sample_trees(2, random_state=0)):
        agrees(opens(tree.to_html()), tree, random_cases(tree, 200))


def test_a_tree_of_one_leaf_asks_for_nothing(opens, golf):
    model = ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(golf)
    assert model.tree_.n_nodes == 1
    page = opens(model.to_html())
    agrees(page, model, random_cases(model, 3))
    assert page.inner_text("#how") == "The tree asks for nothing."
    assert page.locator("#tree li").count() == 1


def shown_probabilities(page):
    """What the table of the case says, to the last digit."""
    rows = page.locator("#probabilities tr")
    return {
        int(rows.nth(i).get_attribute("data-class")): float(rows.nth(i).locator("td").nth(1).get_attribute("title"))
        for i in range(rows.count())
    }


@pytest.mark.parametrize("name", ["release 8", "J48", "BIC, multiway", "Bayesian", "Bayesian, imputed", "least errors"])
def test_a_typed_case_reaches_the_leaf_of_predict(name, opens):
    model = LEARNERS[name].fit(mixed_data())
    page = opens(model.to_html())
    tree = model.tree_
    asked = sorted(set(tree.attribute[tree.attribute >= 0].tolist()))
    assert page.locator("#fields input, #fields select").count() == len(asked)
    cases = random_cases(model, 6, seed=1)
    for i, values in enumerate(as_values(cases)):
        for a in asked:
            if model.schema_[a].is_discrete:
                page.select_option(f"#a{a}", "" if values[a] is None else str(values[a]))
            else:
                page.fill(f"#a{a}", "?" if values[a] is None else repr(values[a]))
        case = cases.take([i])
        probabilities = shown_probabilities(page)
        expected = model.predict_proba(case)[0]
        assert np.abs([probabilities[c] - expected[c] for c in range(3)]).max() <= 1e-9
        assert page.inner_text("#result .answer") == model.predict(case)[0]
        answer = page.evaluate("() => { const a = ctreePage.answer(); return [a.leaf, a.leaves]; }")
        # Every part of the case is lit, its main leaf selected, and shares are told where it is divided.
        assert page.get_attribute("li[aria-selected=true]", "id") == f"n{answer[0]}"
        for leaf, share in answer[1]:
            classes = page.get_attribute(f"#n{leaf}", "class")
            assert "lit" in classes
            told = page.inner_text(f"#r{leaf} .share-place")
            assert told == ("" if share == 1 else f"{100 * share:.1f} %" if share >= 0.0005 else "<0.1 %")
        lit = {int(name[1:]) for name in page.eval_on_selector_all("#tree li.lit", "all => all.map(li => li.id)")}
        on_the_way = {node.index for leaf, _ in answer[1] for node in tree[leaf].path}
        assert lit == on_the_way


def test_the_readme_day_of_unknown_humidity(opens, golf):
    page = opens(ctree.C45Classifier(estimate="laplace").fit(golf).to_html("Golf"))
    assert page.title() == "Golf"
    page.select_option("#a0", label="sunny")
    page.select_option("#a3", label="false")
    assert shown_probabilities(page) == pytest.approx({0: 0.42, 1: 0.58})
    assert page.inner_text("#result .answer") == "Don't Play"
    assert page.locator("#result .ways >> nth=0 >> li").all_inner_texts() == [
        "60.0 %\nDon't Play leaf 3: humidity > 75",
        "40.0 %\nPlay leaf 2: humidity ≤ 75",
    ]
    page.fill("#a2", "75")
    assert shown_probabilities(page) == pytest.approx({0: 0.75, 1: 0.25})
    page.click("text=Clear")
    until(page, "ctreePage.answer() === null")
    assert page.inner_text("#result") == ""
    assert page.locator("#tree li.lit").count() == 0


def test_a_wrong_number_is_refused_and_said(opens, golf):
    page = opens(ctree.C45Classifier().fit(golf).to_html())
    page.select_option("#a0", label="sunny")
    for text in ("warm", "1e999", "0x10", "7 5"):
        page.fill("#a2", text)
        assert page.get_attribute("#a2", "aria-invalid") == "true"
        assert page.inner_text("#w2") == "Give a number, or nothing if it is unknown."
        assert page.inner_text("#result") == ""
    page.fill("#a2", " -7.5e1 ")
    assert page.get_attribute("#a2", "aria-invalid") is None
    assert page.locator("#w2").count() == 0
    assert page.inner_text("#result .answer") == "Play"


def rows(page):
    return page.eval_on_selector_all("#tree li", "all => all.map(li => Number(li.id.slice(1)))")


def test_nodes_fold_and_unfold(opens, golf):
    page = opens(ctree.C45Classifier().fit(golf).to_html(max_depth=1))
    assert rows(page) == [0, 2, 1, 3]
    page.click("#r1 .twist")
    assert rows(page) == [0, 2, 1, 4, 5, 3]
    assert page.get_attribute("#n1", "aria-expanded") == "true"
    page.click("#r1 .twist")
    assert rows(page) == [0, 2, 1, 3]
    page.dblclick("#r3 .condition")
    assert rows(page) == [0, 2, 1, 3, 6, 7]
    page.click("#r0 .twist")
    assert rows(page) == [0]
    page.click("#r0 .twist")
    assert rows(page) == [0, 2, 1, 3, 6, 7]  # what was unfolded below is so again
    page.click("#unfold")
    assert rows(page) == [0, 2, 1, 4, 5, 3, 6, 7]
    assert page.locator("#tree .leaf-number").all_inner_texts() == [f"leaf {n}" for n in range(1, 6)]
    page.click("#fold")
    assert rows(page) == [0]
    page.select_option("#depth", "1")
    assert rows(page) == [0, 2, 1, 3]


def test_the_keyboard_does_all_that_the_mouse_does(opens, golf):
    page = opens(ctree.C45Classifier().fit(golf).to_html(max_depth=1))
    page.focus("#fold")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # the scrolled part can be reached by keys as well

    def focused():
        return page.evaluate("document.activeElement.id")

    if focused() != "n0":
        page.focus("#n0")
    steps = [
        ("ArrowDown", "n2"), ("ArrowDown", "n1"), ("ArrowRight", "n1"), ("ArrowRight", "n4"), ("ArrowDown", "n5"),
        ("ArrowDown", "n3"), ("ArrowUp", "n5"), ("ArrowLeft", "n1"), ("ArrowLeft", "n1"), ("ArrowUp", "n2"),
        ("End", "n3"), ("Enter", "n3"), ("End", "n7"), ("Home", "n0"), (" ", "n0"), ("ArrowDown", "n0"), (" ", "n0"),
        ("ArrowDown", "n2"), ("*", "n2"), ("ArrowDown", "n1"), ("ArrowDown", "n4"),
    ]  # fmt: skip
    for key, expected in steps:
        page.keyboard.press(key)
        assert focused() == expected, key
        # One row at a time can be reached with Tab.
        assert page.eval_on_selector_all("#tree li[tabindex='0']", "all => all.map(li => li.id)") == [expected]
        assert page.eval_on_selector_all("#tree li[aria-selected=true]", "all => all.map(li => li.id)") == [expected]
    assert rows(page) == [0, 2, 1, 4, 5, 3, 6, 7]
    page.keyboard.press("/")
    assert focused() == "search"


def test_the_tree_tells_assistive_programs_what_it_is(opens, golf):
    page = opens(ctree.C45Classifier().fit(golf).to_html(max_depth=1))
    assert page.get_by_role("tree").count() == 1
    item = page.get_by_role("treeitem", name=re.compile("outlook = rain"))
    assert item.get_attribute("aria-level") == "2"
    assert item.get_attribute("aria-posinset") == "3"
    assert item.get_attribute("aria-setsize") == "3"
    assert item.get_attribute("aria-expanded") == "false"
    leaf = page.get_by_role("treeitem", name=re.compile("overcast"))
    assert leaf.get_attribute("aria-expanded") is None
    for field in ("outlook", "humidity", "windy"):
        assert page.get_by_label(field, exact=True).count() == 1
    assert page.locator("button:not([aria-label]):visible").all_inner_texts() == ["Unfold all", "Fold all", "Clear"]


def test_hovering_shows_counts_and_probabilities(opens, golf):
    page = opens(ctree.C45Classifier(estimate="laplace").fit(golf).to_html())
    assert page.locator("#tip").is_hidden()
    page.hover("#r1 .condition")
    text = page.inner_text("#tip")
    assert "outlook = sunny" in text
    assert re.search(r"Play\s+2\s+0\.429", text)
    assert re.search(r"Don't Play\s+3\s+0\.571", text)
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    page.click("#r4")
    assert re.search(r"leaf 2:\s*Play", page.inner_text("#node"))
    assert page.locator("#node .path li").all_inner_texts() == ["all cases", "outlook = sunny", "humidity ≤ 75"]


def test_search_finds_what_is_folded(opens, golf):
    page = opens(ctree.C45Classifier().fit(golf).to_html(max_depth=0))
    page.fill("#search", "HUMIDITY")
    assert page.inner_text("#found") == "1 of 2 matches"
    assert page.get_attribute("li[aria-selected=true]", "id") == "n4"
    assert page.evaluate("document.activeElement.id") == "search"
    page.press("#search", "Enter")
    assert page.get_attribute("li[aria-selected=true]", "id") == "n5"
    page.press("#search", "Enter")
    assert page.get_attribute("li[aria-selected=true]", "id") == "n4"
    page.press("#search", "Shift+Enter")
    assert page.inner_text("#found") == "2 of 2 matches"
    assert page.locator("li.found").count() == 2
    page.fill("#search", "don't")
    assert page.inner_text("#found") == "1 of 2 matches"
    page.click("#next")
    assert page.get_attribute("li[aria-selected=true]", "id") == "n6"
    page.fill("#search", "snow")
    assert page.inner_text("#found") == "no match"
    page.fill("#search", "")
    assert page.inner_text("#found") == ""
    assert page.locator("li.found").count() == 0


@pytest.mark.parametrize("averaging", ["path", "prunings"])
def test_the_nodes_on_a_path_count_as_in_the_average(averaging, opens):
    model = ctree.BayesianTreeClassifier(averaging=averaging).fit(mixed_data())
    page = opens(model.to_html())
    tree = model.tree_
    alphas = node_alphas(tree.class_counts, tree.parent, model.prior_weight, not model.uniform_prior)
    own = leaf_probabilities(tree.class_counts, estimate="dirichlet", parent=tree.parent, alphas=alphas)
    shares = page.evaluate("ctreePage.model.test.map((_, n) => ctreePage.pathShares(ctreePage.pathTo(n)))")
    for node, counted in zip(tree, [shares[n.index] for n in tree], strict=True):
        assert sum(counted) == pytest.approx(1)
        path = [step.index for step in node.path]
        assert np.allclose(np.array(counted) @ own[path], tree.probabilities[node.index], atol=1e-9)
    last = tree.n_nodes - 1
    page.evaluate(f"ctreePage.select({last})")
    told = f"{model.node_weights_[last]:.3f}" if model.node_weights_[last] >= 0.0005 else "<0.001"
    assert page.inner_text(f"#r{last} .weight") == told
    assert f"weight {told}" in page.inner_text("#node .hint >> nth=0")
    assert page.locator("#node .path .number").count() == tree.depth + 1


NASTY = [
    "</script><b>bold</b>",
    'a "quoted" <i>&amp;',
    "{{model}} {{title}}",
    "it's\nback\\slash $x$",
    "\u2028 ] ]> <!--",
    "<img src=x>",
]


def nasty_data():
    attributes = (
        Attribute(NASTY[0], Kind.DISCRETE, (NASTY[1], NASTY[2], NASTY[5])),
        Attribute(NASTY[3], Kind.CONTINUOUS),
    )
    schema = Schema(attributes, (NASTY[4], NASTY[0], NASTY[1]))
    rng = np.random.default_rng(0)
    codes, numbers = rng.integers(3, size=90), rng.random(90)
    classes = np.where(numbers < 0.5, codes, (codes + 1) % 3)
    return Dataset(schema, [codes, numbers], classes)


def test_names_are_text_whatever_is_in_them(opens):
    model = ctree.C45Classifier().fit(nasty_data())
    page = opens(model.to_html(title=NASTY[0]))
    agrees(page, model, random_cases(model, 100))
    assert page.title() == NASTY[0]
    assert page.inner_text("h1") == NASTY[0]
    page.click("#unfold")
    page.fill("#search", "</script>")
    page.select_option("#a0", "0")
    assert page.locator("b, img, main i").count() == 0
    assert page.locator("#a0 option").all_text_contents() == ["unknown", NASTY[1], NASTY[2], NASTY[5]]
    assert page.locator("#legend li").all_text_contents() == [NASTY[4], NASTY[0], NASTY[1]]
    page.hover("#r0")
    assert page.locator("b, img").count() == 0


def test_halves_of_pairs_do_not_break_the_page(opens):
    schema = Schema((Attribute("x", Kind.DISCRETE, ("\ud800", "b")),), ("c", "\udfff"))
    data = Dataset(schema, [[0, 0, 0, 1, 1, 1]], [0, 0, 0, 1, 1, 1])
    model = ctree.C45Classifier().fit(data)
    assert opens(model.to_html(title="half \ud800")).locator("#tree li").count() == 3


def test_a_large_tree_opens_quickly_and_mostly_folded(opens):
    rng = np.random.default_rng(0)
    X, y = rng.random((6000, 5)).round(3), rng.integers(12, size=6000)
    model = ctree.C45Classifier(prune=False, min_cases=1).fit(X, y)
    assert model.tree_.n_nodes > 5000
    page = opens(model.to_html())
    assert page.evaluate("performance.now()") < 20_000  # seconds here would be a fault; the machine may be busy
    assert page.locator("#tree li").count() <= 80
    page.click("#unfold")
    assert 1000 < page.locator("#tree li").count() <= 1500
    assert "unfold further by hand" in page.inner_text("#notice")
    agrees(page, model, random_cases(model, 50))
    # All unknown: thousands of ways are not unfolded at once.
    page.click("#fold")
    page.fill("#a0", "0.5")
    assert page.evaluate("ctreePage.answer().leaves.length") > 300
    assert page.locator("#tree li").count() < 700
    page.evaluate(f"ctreePage.select({model.tree_.n_nodes - 1})")
    assert page.get_attribute("li[aria-selected=true]", "id") == f"n{model.tree_.n_nodes - 1}"


def test_a_tree_deeper_than_browsers_nest(opens):
    n = 2 * 1200 + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    counts = np.ones((n, 2))
    for i in range(n - 3, -1, -2):
        counts[i] = counts[i + 1] + counts[i + 2]
    arrays = {
        "test": inner, "attribute": np.where(inner, 0, -1), "threshold": np.arange(n), "group": [],
        "first_branch": np.where(inner, np.arange(n) + 1, -1), "n_branches": 2 * inner, "group_start": np.zeros(n),
        "best": np.zeros(n), "cases": counts.sum(axis=1), "errors": np.zeros(n), "counts": counts,
        "probabilities": counts / counts.sum(axis=1, keepdims=True),
    }  # fmt: skip
    tree = ctree.Tree(Schema((Attribute("x", Kind.CONTINUOUS),), ("a", "b")), arrays)
    page = opens(tree.to_html())
    page.click("#unfold")
    page.fill("#a0", "1e9")
    assert page.evaluate("ctreePage.answer().leaf") == n - 1


def test_the_page_needs_nothing_from_elsewhere(golf):
    text = ctree.BayesianTreeClassifier().fit(golf).to_html()
    assert not re.findall(r"(?:src|href)=\"(?!data:)|@import|url\(|https?://", text)
    assert "default-src 'none'" in text


def test_the_model_is_the_tree_to_the_last_bit():
    model = ctree.BayesianTreeClassifier().fit(mixed_data())
    text = re.search(r'<script type="application/json" id="model">(.*?)</script>', model.to_html(), re.DOTALL).group(1)
    read = json.loads(text)
    tree = model.tree_
    for name, rows_ in (("counts", tree.class_counts), ("probabilities", tree.probabilities)):
        for sparse, row in zip(read[name], rows_.tolist(), strict=True):
            dense = [sparse[0]] * 3
            for place, number in zip(sparse[1::2], sparse[2::2], strict=True):
                dense[place] = number
            assert dense == row
    assert read["weights"] == model.node_weights_.tolist()
    assert script_json(float(np.nextafter(0.1, 1))) == repr(float(np.nextafter(0.1, 1)))


def test_what_cannot_be_shown_says_why(golf):
    with pytest.raises(NotFittedError, match="call fit first"):
        ctree.C45Classifier().to_html()
    with pytest.raises(ParameterError, match="max_depth must be None or a whole number"):
        ctree.C45Classifier().fit(golf).to_html(max_depth=-1)
